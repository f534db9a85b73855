"""Whole pages of HTML: a page as a cleaning method judged it, and a document beside the first copies of its blocks.

Each page is one file that needs nothing else: no script, no font, no picture. The command line writes them, and a web
app can serve them.
"""
