"""Whole pages of HTML: a page as a method judged it, a document beside the first copies of its blocks, reports.

Each page is one file that needs nothing else: nothing is loaded from anywhere. The command line writes them, and the
web app shows the same parts.
"""
