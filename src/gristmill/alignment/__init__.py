"""Alignment of the sentences of two texts that are translations of each other."""
