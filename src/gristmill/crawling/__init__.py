"""Crawl the web for text: fetch pages, follow their links, and go on where text in the wanted languages is found.

A crawl is a folder: `crawl.toml` (settings), `pages-00000.warc.gz` and so on (what was fetched), `frontier.sqlite`
(what is known and what is to be fetched), `log`.
"""
