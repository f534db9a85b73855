"""The tagger `own`: what it learns from treebanks, and how it reads words with it."""
