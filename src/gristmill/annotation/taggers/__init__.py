"""The taggers, a module each, found by name in `TAGGERS`.

`hanta_tagger`, `hanta_morphology` and `trigrams` are parts of `hanta`, `apertium_tags` and `rftagger_tags` map tags;
`outside` and `installation` are shared by taggers that users install.
"""
