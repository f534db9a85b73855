"""The pages of the web app, a file for each group of them; `pages.py` finds them here."""
