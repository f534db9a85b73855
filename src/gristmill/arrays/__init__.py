"""Helpers for NumPy arrays, shared by all packages that work on many values at a time.

- `dtypes`: the types of arrays, by what they hold.
- `hashing`: hashes of sequences, and of all runs of them.
- `ragged`: rows of different lengths in one array.
- `storing`: named arrays in one file, mapped into memory when it is read.
"""
