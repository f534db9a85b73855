"""Ranked retrieval of units of any size, by BM25 and by dimensions: `luc` of GLB (Kornai and Halácsy 2008)."""
