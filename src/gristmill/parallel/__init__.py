"""Parallel corpora: pages of a corpus that are translations of each other, with their sentences aligned."""
