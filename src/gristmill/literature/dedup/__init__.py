"""De-duplication methods of the literature, found by name in `gristmill.dedup.METHODS`; each is a file."""
