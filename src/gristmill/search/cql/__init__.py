"""CQL: parsing of queries, and matching them against an index from their rarest token outwards."""
