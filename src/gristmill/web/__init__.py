"""The web app: see what became of every page, correct it, review duplicates, search; the same as JSON.

`operations.py` says what can be asked of a corpus, `rooms/` has the pages, and both run their work in `workers.py`.
"""
