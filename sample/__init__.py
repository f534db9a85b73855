"""The small web that ships with Gristmill: its readable sources, and the code that makes a WARC and its truth of them.

`python -m sample` writes both into `src/gristmill/sample/`.
"""
