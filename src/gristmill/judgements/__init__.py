"""What people judged: blocks of pages as text or boilerplate, and pairs of documents as duplicates.

Judgements are kept in SQLite files of the corpus, one row each, and become gold standards.
"""
