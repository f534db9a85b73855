"""CQL: queries are parsed, and matched against an index from their rarest token outwards."""
