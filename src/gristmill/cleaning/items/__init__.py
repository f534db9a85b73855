"""Pages of several items, cut into items: BOEMIE's segmenter.

G. Petasis, P. Fragkou, A. Theodorakos, V. Karkaletsis, C. D. Spyropoulos, Segmenting HTML pages using visual and
semantic information (WAC4, 2008). A page goes through these modules, `splitting` calling one after the other:

    region       the main region of a page (section 3.1)
    nodes        titles and paragraphs in it, by their words (3.1)
    entities     names and numbers in their text (3.3; by rules)
    lists        or those of a user's lists
    vectors      what titles and paragraphs have in common (3.2, 3.3.1)
    labelling    where items begin: at titles (4.3, "only heuristics"), or as a conditional random field says (3.2)
    documents    a document for each item, and one for the rest of the page
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.cleaning.items.documents import REASON, cut
    from gristmill.cleaning.items.splitting import Item, Items, Splitting, split, split_page, splitting_of

__all__ = ["REASON", "Item", "Items", "Splitting", "cut", "split", "split_page", "splitting_of"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "documents": ("REASON", "cut"),
        "splitting": ("Item", "Items", "Splitting", "split", "split_page", "splitting_of"),
    },
)
