"""Cleaning methods of the literature, found by name in `gristmill.cleaning.METHODS`; each is a file."""
