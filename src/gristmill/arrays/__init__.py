"""Helpers for arrays that everything above shares: their types, rows of different lengths, and files of arrays.

- `dtypes`: the types of arrays, by what they hold.
- `ragged`: rows of different lengths in one array.
- `storing`: named arrays in one file, mapped into memory when it is read.
"""
