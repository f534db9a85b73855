"""The compiled modules of the kernel, where there are any."""
