"""Tokenisation and segmentation of pages on whole arrays of NumPy, for machines where the kernel is not compiled.

They make what `gristmill.kernel` makes, several times slower than its compiled form and several times faster than its
plain Python. Pages whose markup is odd are left to that: arrays are for what is usual.
"""
