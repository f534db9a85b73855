"""Read the metadata that the markup of a page declares, each field from the most reliable source that has it.

JSON-LD is made by the system that has the article, for search engines, and so are OpenGraph's times; other tags are
often left as a template had them. What stands near the headline comes next, as readers see it.
"""

from __future__ import annotations

import numpy as np

from gristmill.arrays.dtypes import Flags
from gristmill.cleaning.markup import Markup
from gristmill.cleaning.metadata.elements import Elements
from gristmill.cleaning.metadata.found import Metadata, plain
from gristmill.cleaning.metadata.json_ld import read_json_ld
from gristmill.cleaning.metadata.tags import HEADLINE, HTML, LINK, META, Declared, read_tags
from gristmill.kernel.elements import CODES

_MAY_DECLARE = np.zeros(len(CODES) + 2, np.bool_)
_MAY_DECLARE[[META, HTML, HEADLINE]] = True


def read_metadata(markup: Markup, hidden: Flags) -> Metadata:
    """Read titles, `meta`, `link`, `html` and `time` tags, JSON-LD, microdata, and what stands near the headline."""
    found = Metadata()
    found.put("title", _title(markup, hidden), "title")
    declared, elements = Declared(), Elements(markup, hidden)
    data = markup.data
    for number, code, start, end in markup.telling_tags(_MAY_DECLARE):
        tag = data[start:end]
        if code == META:
            declared.add_meta(tag)
        elif code == LINK:
            declared.add_link(tag)
        elif code == HTML:
            declared.add_html(tag)
        else:
            if code == HEADLINE:
                elements.headlines.append(number)
            elements.add(number, tag)
    lang, source = declared.language()
    found.put("lang", lang, source)
    found.put("site_name", declared.first("og:site_name"), "opengraph")
    found.put("description", declared.first("description"), "meta")
    found.put("image", declared.first("og:image"), "opengraph")
    scripts = markup.scripts_of_type(b"ld+json")
    if scripts:
        read_json_ld(found, scripts, found.title or declared.first("og:title"))
    elements.read_headline(found)
    found.put("licence", declared.licence, "link")
    read_tags(found, declared)
    elements.read(found)
    return found


def _title(markup: Markup, hidden: Flags) -> str:
    """Return the first title that is not in a hidden element: `<svg>` drawings have titles of their own."""
    for tag, title in markup.titles:
        if not hidden[tag]:
            return plain(title, in_attribute=False)
    return ""
