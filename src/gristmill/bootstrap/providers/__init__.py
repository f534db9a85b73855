"""Search providers: what answers a query with addresses."""
