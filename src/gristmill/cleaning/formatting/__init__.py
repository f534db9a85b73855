"""The text of a page with its form: Markdown, and JSON in which lists are lists and tables are tables.

A page goes through these modules:

    layout, tree, reading   find lists, tables, quotations, headings, emphasis and links of the kept text: an `outline`
    stored                  the same for a document whose page is not at hand, as far as its blocks tell
    escaping, inline        write text so that Markdown reads it as text, and emphasis so that it is read as such
    writer, described       write an outline as Markdown, or as JSON

`formatted` has the functions for users. Nothing of this is done unless it is asked for.
"""

from gristmill.cleaning.formatting.formatted import markdown, outline_of_document, structure
from gristmill.cleaning.formatting.writer import write

__all__ = ["markdown", "outline_of_document", "structure", "write"]
