"""The positional index on disk: lexicons, token streams, inverted lists and structures; how it is built from shards, and opened."""
