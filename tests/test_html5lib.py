"""The kernel passes html5lib-tests, the public tests of tokenizers, but for what docs/standard.md lists."""

from __future__ import annotations

import importlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import html_declarations as declarations
import pytest

from gristmill.kernel import COMPILED, resolve, tokens
from gristmill.kernel.rows import CLOSING, CODE, END, RAW_END, START, TEXT

FORMS = [tokens, importlib.import_module("gristmill.kernel.compiled.tokens")] if COMPILED else [tokens]
"""The tokenizer uncompiled, and compiled where it is."""
DEPARTURES = Path(__file__).parents[1] / "docs" / "standard.md"
_ROW = re.compile(r"^\|[^|]+\| `(.+?)` \| (\d+) \|", re.MULTILINE)

Token = list[Any]

# Elements by which a document gets to the state in which a test begins.
REACHED_BY = {
    "Data state": ("",),
    "RCDATA state": ("textarea", "title"),
    "RAWTEXT state": ("xmp", "style", "iframe", "noframes", "noembed"),
    "PLAINTEXT state": ("plaintext",),
    "Script data state": ("script",),
}
NOT_RESOLVED = frozenset({*REACHED_BY["RAWTEXT state"], "plaintext", "script"})
"""Elements in whose text character references are not resolved."""


class Case(NamedTuple):
    """A test, made a document: the element it begins in, the input and the tokens that are expected behind it."""

    name: str
    element: str
    source: str
    expected: list[Token]

    @property
    def document(self) -> bytes:
        """The document, as `decode` would leave it; raises ValueError if there is no such document in UTF-8."""
        source = f"<{self.element}>{self.source}" if self.element else self.source
        return source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd").encode()


def unescaped(value: Any) -> Any:
    """Undo the second escaping of strings that some tests have."""
    if isinstance(value, str):
        return re.sub(r"\\u([0-9A-Fa-f]{4})", lambda match: chr(int(match[1], 16)), value)
    if isinstance(value, list):
        return [unescaped(item) for item in value]
    if isinstance(value, dict):
        return {unescaped(key): unescaped(item) for key, item in value.items()}
    return value


def cases(file: Path) -> Iterator[Case]:
    """Make documents of the tests in a file; an element `?` is one that no document has."""
    [tests] = json.loads(file.read_text("utf-8")).values()
    for test in tests:
        if test.get("doubleEscaped"):
            test["input"], test["output"] = unescaped(test["input"]), unescaped(test["output"])
        last = test.get("lastStartTag", "")
        for state in test.get("initialStates", ["Data state"]):
            for element in REACHED_BY.get(state, ("?",)):
                name = f"{file.stem}, {state}, {element}: {test['description']}"
                source, expected = test["input"], test["output"]
                if last and last != element:  # the test is the same with another name
                    source = re.sub(last, element, source, flags=re.IGNORECASE)
                    expected = json.loads(re.sub(last, element, json.dumps(expected), flags=re.IGNORECASE))
                yield Case(name, element, source, expected)


def tokens_of(data: bytes, kernel: ModuleType) -> list[Token]:
    """Make the tokens of the standard from what the kernel finds."""
    found: list[Token] = []
    tags = kernel.tokenise(data)
    at, resolves = 0, True

    def add_text(end: int) -> None:
        text = (resolve(data[at:end]) if resolves else data[at:end]).decode()
        if text and found and found[-1][0] == "Character":
            found[-1][1] += text
        elif text:
            found.append(["Character", text])

    for column in tags.T.tolist():
        start, end, code = column[START], column[END], column[CODE]
        if start == end:  # the end of an element that closes itself is nowhere in the page
            continue
        add_text(start)
        at, resolves = end, True
        written = data[start:end]
        if code == tokens.NO_TAG:
            found += declaration(written)
            continue
        found.append(["EndTag", tag_name(written)] if column[CLOSING] else start_tag(written, kernel))
        resolves = column[CLOSING] or found[-1][1] not in NOT_RESOLVED
        if column[RAW_END] > end or column[TEXT] > end:
            add_text(column[RAW_END])
            found += tokens_of(data[column[RAW_END] : column[TEXT]], kernel)
            at, resolves = column[TEXT], True
    add_text(len(data))
    return found


def declaration(written: bytes) -> list[Token]:
    """Make the token of a doctype or a comment; there is none for `</>` and a tag without an end."""
    if declarations.is_doctype(written):
        name, public, system, is_correct = declarations.doctype(written)
        return [["DOCTYPE", name, public, system, is_correct]]
    comment = declarations.comment(written)
    return [] if comment is None else [["Comment", comment]]


def tag_name(written: bytes) -> str:
    """Return the name of a tag."""
    return re.split(rb"[\t\n\f />]", written.lstrip(b"</"), maxsplit=1)[0].lower().decode()


def start_tag(written: bytes, kernel: ModuleType) -> Token:
    """Make the token of a start tag. It is self-closing if the slash at its end is not part of an attribute."""
    given = kernel.attributes(written)
    attributes = {name.decode(): resolve(value, True).decode() for name, value in given.items()}
    is_self_closing = written.endswith(b"/>") and given == kernel.attributes(written[:-2] + b">")
    return ["StartTag", tag_name(written), attributes, *[True] * is_self_closing]


def failing(file: Path, kernel: ModuleType) -> Iterator[str]:
    """Yield the names of tests in a file that the kernel does not pass, or that no document reaches."""
    for case in cases(file):
        try:
            document = case.document
        except UnicodeEncodeError:
            yield case.name
            continue
        found = tokens_of(document, kernel)
        if case.element == "?" or found[bool(case.element) :] != case.expected:
            yield case.name


@pytest.mark.parametrize("kernel", FORMS, ids=lambda module: module.__name__)
def test_departures_are_those_listed(gold: Path, kernel: ModuleType) -> None:
    files = sorted((gold / "html5lib-tests" / "tokenizer").glob("*.test"))
    assert files
    rows = _ROW.findall(DEPARTURES.read_text("utf-8"))
    listed = {pattern.replace("\\|", "|"): int(count) for pattern, count in rows}
    assert listed
    counted: Counter[str] = Counter()
    for name in (name for file in files for name in failing(file, kernel)):
        fitting = [pattern for pattern in listed if re.match(pattern, name)]
        assert len(fitting) == 1, f"departures for {name}: {fitting}"
        counted[fitting[0]] += 1
    assert counted == listed
