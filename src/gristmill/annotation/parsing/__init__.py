"""The parser of our own: heads and relations of tokens, by models that are learned from treebanks."""
