"""The operations of the web app, a file for each group of them; `operations.py` finds them here."""
