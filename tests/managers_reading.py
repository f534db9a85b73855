"""How corpus managers read vertical text: readers by the rules of `encodevert` and `cwb-encode`, for tests.

They know nothing of the code that writes: each takes the file that configures its manager, and bytes.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Region(NamedTuple):
    start: int
    end: int
    attributes: dict[str, str]


@dataclass
class Loaded:
    """A corpus as a manager has it."""

    tokens: list[dict[str, str]] = field(default_factory=list)
    structures: dict[str, list[Region]] = field(default_factory=dict)


def lower(text: str) -> str:
    """Lower case, character by character."""
    return "".join(character.lower()[0] for character in text)


# Manatee


@dataclass
class Registry:
    """What a registry file declares."""

    options: dict[str, str] = field(default_factory=dict)
    attributes: dict[str, dict[str, str]] = field(default_factory=dict)
    structures: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Registry:
        """Lines are `OPTION value`; a block is in braces, the first of which ends its line; there are no escapes."""
        found = cls()
        lines = iter(text.splitlines())
        for line in lines:
            if not line or line.startswith("#"):
                continue
            match = re.fullmatch(r"""([A-Z0-9]+) ([a-z0-9/.][\w/.-]*|"[^"]*"|'[^']*')( \{)?""", line, re.ASCII)
            assert match, line
            option, value = match[1], match[2].strip(match[2][0] if match[2][0] in "\"'" else "")
            inner = [one.split(None, 1) for one in _block(lines)] if match[3] else []
            if option == "ATTRIBUTE":
                found.attributes[value] = {name: set_to.strip('"') for name, set_to in inner}
            elif option == "STRUCTURE":
                found.structures[value] = [set_to for name, set_to in inner if name == "ATTRIBUTE"]
            else:
                found.options[option] = value
        return found


def _block(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line == "}":
            return
        yield line


def read_by_manatee(registry: Registry, data: bytes) -> Loaded:
    """Read vertical text as `encodevert -c` does: nothing is decoded but backslashes in the values of structures."""
    columns = [name for name, options in registry.attributes.items() if "DYNAMIC" not in options]
    names = "|".join(registry.structures).encode()
    tag = re.compile(rb"</?(" + names + rb")( +(.*))?/?(>)[ \t]*\Z", re.DOTALL)
    loaded = Loaded(structures={name: [] for name in registry.structures})
    opened: dict[str, tuple[int, dict[str, str]]] = {}
    assert data.endswith(b"\n")
    for whole in data.split(b"\n")[:-1]:
        line = whole.split(b"\0")[0].rstrip(b" \r")
        found = tag.match(line)
        place = len(loaded.tokens)
        if not line:
            continue
        if not found:
            values = [*line.split(b"\t"), *([b""] * len(columns))]
            token = {name: _stored(value) for name, value in zip(columns, values, strict=False)}
            for name, options in registry.attributes.items():
                if "DYNAMIC" in options:
                    assert options["DYNAMIC"] == "utf8lowercase"
                    assert options["DYNTYPE"] == "index"
                    token[name] = lower(token[options["FROMATTR"]])
            loaded.tokens.append(token)
            continue
        name = found[1].decode()
        is_empty = line[found.start(4) - 1 : found.start(4)] == b"/"
        if line[1:2] != b"/":
            assert name not in opened, "structures don't lie in each other"
            inner = line[found.start(3) : found.start(4) - is_empty] if found[2] else b""
            opened[name] = place, _manatee_attributes(inner, registry.structures[name])
        if line[1:2] == b"/" or is_empty:
            start, attributes = opened.pop(name)
            loaded.structures[name].append(Region(start, place, attributes))
    assert not opened
    return loaded


def _stored(value: bytes) -> str:
    """A value as the lexicon has it."""
    return value.strip(b" ")[:32767].decode()


def _manatee_attributes(text: bytes, declared: Sequence[str]) -> dict[str, str]:
    """Read `name="value"` pairs: in quotes, a backslash escapes the quote and itself."""
    values = dict.fromkeys(declared, "===NONE===")
    while text:
        match = re.match(rb"""(\w+)\s*=\s*(?:(["'])|(\w*))""", text)
        assert match, text
        text = text[match.end() :]
        value = match[3] or b""
        if match[2]:
            body = re.match(rb"(?:\\" + match[2] + rb"|\\\\|[^" + match[2] + rb"])*", text, re.DOTALL)
            assert body
            value = re.sub(rb"\\(" + match[2] + rb"|\\)", rb"\1", body[0])
            text = text[body.end() + 1 :]
        assert match[1].decode() in declared
        values[match[1].decode()] = _stored(value)
        text = text.lstrip()
    return values


# CWB

_ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&apos;": "'"}
_NAME = r"[A-Za-z0-9_\-\x80-\U0010ffff]+"


@dataclass
class Encode:
    """What a command line of `cwb-encode` says."""

    flags: str = ""
    undefined: str = "__UNDEF__"
    columns: list[str] = field(default_factory=lambda: ["word"])
    structures: dict[str, list[str]] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)

    @classmethod
    def parse(cls, script: str) -> Encode:
        found = cls()
        (line,) = (line for line in script.splitlines() if "cwb-encode" in line and not line.startswith("#"))
        words = iter(shlex.split(line[line.index("cwb-encode") :])[1:])
        for option in words:
            if option[1] in "xsBC":
                found.flags += option[1:]
                continue
            value = next(words)
            if option == "-U":
                found.undefined = value
            elif option == "-P":
                found.columns.append(value)
            elif option == "-S":
                structure, *attributes = value.split("+")
                assert structure.endswith(":0")
                found.structures[structure[:-2]] = attributes
            elif option == "-0":
                found.ignored.append(value)
            elif option == "-c":
                assert value == "utf8"
            else:
                assert option in {"-d", "-R", "-f"}, option
        return found


def read_by_cwb(encode: Encode, data: bytes) -> Loaded:
    """Read vertical text as `cwb-encode` does: composed characters, and with -x entities are decoded."""
    assert "x" in encode.flags
    assert "s" in encode.flags
    assert not set("BC") & set(encode.flags)
    loaded = Loaded(structures={name: [] for name in encode.structures})
    opened: dict[str, tuple[int, dict[str, str]]] = {}
    assert data.endswith(b"\n")
    for whole in data.split(b"\n")[:-1]:
        assert len(whole) + 1 <= 65534
        line = unicodedata.normalize("NFC", whole.split(b"\0")[0].decode()).rstrip("\r\n")
        if not line or line.startswith(("<?", "<!")):
            continue
        tag = re.match(rf"<(/?)({_NAME})(?=[ \t>/])", line)
        if tag and tag[2] in encode.ignored:
            continue
        if not tag or tag[2] not in encode.structures:
            values = line.split("\t") + [""] * len(encode.columns)
            read = (_decoded(value) if value else encode.undefined for value in values)
            loaded.tokens.append(dict(zip(encode.columns, map(_cwb_stored, read), strict=False)))
        elif tag[1]:
            start, attributes = opened.pop(tag[2])
            if len(loaded.tokens) > start:
                loaded.structures[tag[2]].append(Region(start, len(loaded.tokens), attributes))
        else:
            assert tag[2] not in opened, "structures don't lie in each other"
            rest = line[tag.end() :].rstrip(" \t")
            assert rest.endswith(">")
            inner = rest[:-1].removesuffix("/").lstrip(" \t")
            opened[tag[2]] = len(loaded.tokens), _cwb_attributes(inner, encode.structures[tag[2]])
    assert not opened
    return loaded


def _decoded(value: str) -> str:
    return re.sub("&(?:lt|gt|amp|quot|apos);", lambda entity: _ENTITIES[entity[0]], value)


def _cwb_stored(value: str) -> str:
    assert len(value.encode()) < 4096, "longer values are cut, and end in $"
    return value


def _cwb_attributes(text: str, declared: Sequence[str]) -> dict[str, str]:
    values: dict[str, str] = {}
    while text:
        match = re.match(rf"""({_NAME})[ \t]*=[ \t]*(["'])""", text)
        assert match, text
        end = text.index(match[2], match.end())
        assert match[1] in declared
        assert match[1] not in values
        values[match[1]] = _cwb_stored(_decoded(text[match.end() : end]))
        text = text[end + 1 :].lstrip(" \t")
    return dict.fromkeys(declared, "") | values
