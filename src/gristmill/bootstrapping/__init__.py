"""A corpus from a handful of words: words become queries, search engines give addresses, pages give new words."""
