"""Word lists, n-grams, collocations, keywords, and the comparison of two corpora."""
