"""Read pages from web archives, data sets and saved files, and write WARC files: the first stage of a build.

`find_sources` finds the files that the user named and recognises their kinds; `read` gives the `Page`s of one source
in order. What is not a page (a revisit, a request, a record too broken to read) comes as a `Skip`, so that nothing
goes uncounted.
"""

from gristmill.archive.kind import looks_like_html
from gristmill.archive.readers import read
from gristmill.archive.skip import Skip
from gristmill.archive.source import Source
from gristmill.archive.sources import find_sources
from gristmill.archive.writer import WarcWriter

__all__ = ["Skip", "Source", "WarcWriter", "find_sources", "looks_like_html", "read"]
