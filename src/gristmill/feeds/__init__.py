"""Feeds that a corpus follows: what is new in them, and the pages of their items."""
