"""Keep a page or drop it, and say why.

A filter is a small function that finds a fault or nothing. Page filters look at what was fetched, before the work of cleaning it;
document filters at what became of it. The first filter that finds a fault names the reason; the document stays, with its reason.
"""

from gristmill.filter import document, page
from gristmill.filter.registry import DOCUMENT_FILTERS, PAGE_FILTERS, fault_of_document, fault_of_page

__all__ = ["DOCUMENT_FILTERS", "PAGE_FILTERS", "document", "fault_of_document", "fault_of_page", "page"]
