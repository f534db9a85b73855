"""The positional index on disk, in which a corpus is searched: how it is built from shards, opened, and merged.

- `index`: what is opened and searched: one segment, or several seen as one (`joined`).
- `segment`, `attribute`, `structure`, `lexicon`: what a segment has. It is written once and never changed.
- `building`: brings the index of a corpus up to date, by `shard` and `stored` (tokens of a shard), `writing`,
  `merging`, `joining` and `compaction`.
- `state`, `freshness`, `leftovers`: which segments an index has, of which shards, and what it does not need any more.
- `plain`: small indexes from Python lists.
"""
