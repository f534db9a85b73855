"""A small validator of XML by a DTD, for tests: expat reads the declarations, this checks documents against them.

Content models become regular expressions over the names of children, with a space after each: `((note | prop)*, tuv+)`
is `(?:(?:note |prop )*(?:tuv )+)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET
from xml.parsers import expat

TMX_14 = """
<!ELEMENT tmx (header, body)>
<!ATTLIST tmx version CDATA #REQUIRED>
<!ELEMENT header (note | ude | prop)*>
<!ATTLIST header creationtool CDATA #REQUIRED creationtoolversion CDATA #REQUIRED
 segtype (block | paragraph | sentence | phrase) #REQUIRED o-tmf CDATA #REQUIRED adminlang CDATA #REQUIRED
 srclang CDATA #REQUIRED datatype CDATA #REQUIRED o-encoding CDATA #IMPLIED creationdate CDATA #IMPLIED
 creationid CDATA #IMPLIED changedate CDATA #IMPLIED changeid CDATA #IMPLIED>
<!ELEMENT body (tu*)>
<!ELEMENT note (#PCDATA)>
<!ATTLIST note o-encoding CDATA #IMPLIED xml:lang CDATA #IMPLIED lang CDATA #IMPLIED>
<!ELEMENT prop (#PCDATA)>
<!ATTLIST prop type CDATA #REQUIRED xml:lang CDATA #IMPLIED o-encoding CDATA #IMPLIED lang CDATA #IMPLIED>
<!ELEMENT ude (map+)>
<!ATTLIST ude name CDATA #REQUIRED base CDATA #IMPLIED>
<!ELEMENT map EMPTY>
<!ATTLIST map unicode CDATA #REQUIRED code CDATA #IMPLIED ent CDATA #IMPLIED subst CDATA #IMPLIED>
<!ELEMENT tu ((note | prop)*, tuv+)>
<!ATTLIST tu tuid CDATA #IMPLIED o-encoding CDATA #IMPLIED datatype CDATA #IMPLIED usagecount CDATA #IMPLIED
 lastusagedate CDATA #IMPLIED creationtool CDATA #IMPLIED creationtoolversion CDATA #IMPLIED
 creationdate CDATA #IMPLIED creationid CDATA #IMPLIED changedate CDATA #IMPLIED changeid CDATA #IMPLIED
 segtype (block | paragraph | sentence | phrase) #IMPLIED o-tmf CDATA #IMPLIED srclang CDATA #IMPLIED>
<!ELEMENT tuv ((note | prop)*, seg)>
<!ATTLIST tuv xml:lang CDATA #REQUIRED o-encoding CDATA #IMPLIED datatype CDATA #IMPLIED usagecount CDATA #IMPLIED
 lastusagedate CDATA #IMPLIED creationtool CDATA #IMPLIED creationtoolversion CDATA #IMPLIED
 creationdate CDATA #IMPLIED creationid CDATA #IMPLIED changedate CDATA #IMPLIED o-tmf CDATA #IMPLIED
 changeid CDATA #IMPLIED lang CDATA #IMPLIED>
<!ELEMENT seg (#PCDATA)>
"""
"""What the DTD of TMX 1.4b declares, but for the mark-up within segments, of which we write none."""

_XML = "{http://www.w3.org/XML/1998/namespace}"
_REPEATED = ("", "?", "*", "+")


class Dtd:
    """The declarations of a DTD."""

    def __init__(self, text: str, root: str) -> None:
        self.models: dict[str, re.Pattern[str]] = {}
        self.mixed: set[str] = set()
        self.attributes: dict[str, dict[str, tuple[Any, bool]]] = {}
        parser = expat.ParserCreate()
        parser.ElementDeclHandler = self._element
        parser.AttlistDeclHandler = self._attribute
        parser.Parse(f"<!DOCTYPE {root} [{text}]><{root}/>", True)
        self.root = root

    def _element(self, name: str, model: Any) -> None:
        if model[0] == expat.model.XML_CTYPE_MIXED:
            self.mixed.add(name)
        self.models[name] = re.compile(_pattern(model))

    def _attribute(self, element: str, name: str, kind: str, default: str | None, required: int) -> None:
        choices = kind.strip("()").split("|") if kind.startswith("(") else None
        self.attributes.setdefault(element, {})[name] = choices, bool(required) and default is None

    def faults(self, data: bytes) -> Iterator[str]:
        """What is wrong with a document; that it is well-formed is checked by the parser."""
        root = ET.fromstring(data)  # noqa: S314 (of our own)
        if root.tag != self.root:
            yield f"the root is {root.tag}"
        for element in root.iter():
            yield from self._faults_of(element)

    def _faults_of(self, element: ET.Element) -> Iterator[str]:
        name = element.tag
        if name not in self.models:
            yield f"<{name}> is not declared"
            return
        children = "".join(f"{child.tag} " for child in element)
        if not self.models[name].fullmatch(children):
            yield f"<{name}> has {children}"
        texts = [element.text, *(child.tail for child in element)]
        if name not in self.mixed and any((text or "").strip() for text in texts):
            yield f"<{name}> has text"
        given = {key.replace(_XML, "xml:"): value for key, value in element.attrib.items()}
        known = self.attributes.get(name, {})
        yield from (f"<{name}> has {key}" for key in given if key not in known)
        for key, (choices, required) in known.items():
            if required and key not in given:
                yield f"<{name}> has no {key}"
            if choices and key in given and given[key] not in choices:
                yield f"<{name} {key}={given[key]!r}>"


def _pattern(model: Any) -> str:
    """The regular expression of a content model, as expat gives it: type, how often, name, and parts."""
    kind, times, name, parts = model
    inside = [_pattern(part) for part in parts]
    if kind == expat.model.XML_CTYPE_NAME:
        found = f"{re.escape(name)} "
    elif kind in {expat.model.XML_CTYPE_CHOICE, expat.model.XML_CTYPE_MIXED}:
        found = "|".join(inside)
    else:
        found = "".join(inside)
    return f"(?:{found}){_REPEATED[times]}"
