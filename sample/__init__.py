"""The small web that ships with Gristmill: its readable sources, and the code that turns them into a WARC and its truth."""
