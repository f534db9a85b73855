"""Pages from Common Crawl and the Wayback Machine, by their indexes, without crawling."""
