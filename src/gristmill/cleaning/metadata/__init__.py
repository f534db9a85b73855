"""Metadata of a page: what it says itself about its author, date, headline, site, subject, licence and language.

    reading        the way from the markup of a page to its metadata, and the order in which sources are asked
    found          the record that holds metadata, with the source of each field
    tags           `<meta>` and `<link>`: OpenGraph, Dublin Core and other names
    json_ld        schema.org in scripts
    elements       schema.org in attributes (microdata), `rel` of links, `<time>`, classes near the headline
    bylines        the text near the headline, and the address: what is found where nothing is declared
    dates, months  dates in numbers and in words
    names          names of authors
    links          where the page links to, and its translations

`segmentation` reads what is declared (`read_metadata`), `cleaner` completes it by blocks and address (`complete`).
"""

from gristmill.cleaning.metadata.bylines import complete
from gristmill.cleaning.metadata.found import Metadata
from gristmill.cleaning.metadata.links import Links, absolute_links, alternates_of, read_links
from gristmill.cleaning.metadata.reading import read_metadata

__all__ = ["Links", "Metadata", "absolute_links", "alternates_of", "complete", "read_links", "read_metadata"]
