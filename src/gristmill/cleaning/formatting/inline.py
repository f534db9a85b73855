"""Write the text of a block with its marks as Markdown: emphasis, links, code, line ends.

`Grind <b>the <i>grain</b></i>!` has the spans `Grind `, `the ` (strong), `grain` (strong, emphasis) and `!`:

    Grind **the _grain_**!

CommonMark takes asterisks for emphasis only if they stand at the edge of a word, and that depends on the characters on
both sides. So white space goes out of emphasis, and so does punctuation where it must: in `**注意**：文字` the colon
was strong, too. Emphasis that still could not be read is left out. The text itself is never changed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from gristmill.cleaning.formatting.escaping import code_span, destination, escape
from gristmill.cleaning.formatting.outline import LINE_END, PLAIN, Marks, Span

_NESTED = ("link", "strike", "strong", "emphasis")
"""Marks that hold others; the first is outside where two are equally long."""
_EMPHASIS = frozenset({"strike", "strong", "emphasis"})
_SIGNS = {"strike": "~~", "strong": "**"}
_SWEEPS = 3  # over the marks of a block, until all of them can be read; then the rest is left out
_ASCII_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_EDGE = " "  # before and behind a block
_MARK = "*"  # stands for any sign of a mark: it is punctuation


def write_spans(spans: Sequence[Span], line_end: str = "  \n") -> str:
    """Write spans; `line_end` stands between lines."""
    if all(span.marks == PLAIN for span in spans):
        return line_end.join([escape(line) for line in "".join([span.text for span in spans]).split(LINE_END)])
    tokens = _tokens(_trimmed(_merged(spans)))
    for _ in range(_SWEEPS):
        if not _leave_out_unreadable(tokens):
            break
    else:
        for token in tokens:
            token.is_out |= token.mark in _EMPHASIS
    return "".join(_written(tokens, line_end))


def without_links(spans: Iterable[Span]) -> list[Span]:
    """Return spans that link to nothing."""
    return [Span(span.text, span.marks._replace(link="")) if span.marks.link else span for span in spans]


def not_all_strong(spans: list[Span]) -> list[Span]:
    """Return spans that are not strong if all of them are: those of a heading, which is strong by itself."""
    if not all(span.marks.strong or span.text == LINE_END for span in spans):
        return spans
    return [Span(span.text, span.marks._replace(strong=False)) for span in spans]


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Put spans together that have the same marks; line ends stay alone, and are no code."""
    merged: list[Span] = []
    for (is_line_end, marks), group in groupby(spans, lambda span: (span.text == LINE_END, span.marks)):
        if is_line_end:
            merged += [Span(LINE_END, marks._replace(code=False))] * len(list(group))
        else:
            merged.append(Span("".join([span.text for span in group]), marks))
    return merged


def _trimmed(spans: list[Span]) -> list[Span]:
    """Take punctuation at the edges of emphasis out of it, where a word follows or goes before without a space."""
    trimmed: list[Span] = []
    for place, span in enumerate(spans):
        before = spans[place - 1] if place else Span(_EDGE)
        behind = spans[place + 1] if place + 1 < len(spans) else Span(_EDGE)
        trimmed += _without_punctuation(span, before, behind)
    return _merged(trimmed)


def _without_punctuation(span: Span, before: Span, behind: Span) -> Iterator[Span]:
    """Divide a span into its words and the punctuation that may not be marked as these are."""
    text, marks = span
    begin, end = 0, len(text)
    first = last = marks
    if not marks.code:
        if _kind(before.text[-1]) == "word":
            first = _less(marks, before.marks)
        if _kind(behind.text[0]) == "word":
            last = _less(marks, behind.marks)
        while first != marks and begin < end and _kind(text[begin]) in {"sign", "symbol"}:
            begin += 1
        while last != marks and end > begin and _kind(text[end - 1]) in {"sign", "symbol"}:
            end -= 1
    for part, its in ((text[:begin], first), (text[begin:end], marks), (text[end:], last)):
        if part:
            yield Span(part, its)


def _less(marks: Marks, other: Marks) -> Marks:
    """Return marks without the emphasis that others lack."""
    return marks._replace(
        strike=marks.strike and other.strike,
        strong=marks.strong and other.strong,
        emphasis=marks.emphasis and other.emphasis,
    )


@dataclass(slots=True)
class _Token:
    """A piece of text, or the sign where a mark begins or ends."""

    text: str
    """Of a sign, how it is written."""
    mark: str = ""
    """Of a sign, what it marks; `code` for code, and empty for other text."""
    is_end: bool = False
    partner: int = -1
    """Of a sign, where the other sign of the pair is."""
    is_out: bool = False
    """Whether it is left out."""

    @property
    def first(self) -> str:
        """The character that it begins with."""
        return _MARK if self.mark else self.text[0]

    @property
    def last(self) -> str:
        """The character that it ends with."""
        return _MARK if self.mark else self.text[-1]


def _tokens(spans: list[Span]) -> list[_Token]:
    """Put signs between texts, so that marks are nested: of two that begin together, the longer one is outside."""
    ends = _ends_of_runs(spans)
    tokens: list[_Token] = []
    opened: list[tuple[str, int]] = []  # marks, and where they begin
    for place, span in enumerate(spans):
        stay = 0
        while stay < len(opened) and ends[opened[stay][0]][place - 1] > place:
            stay += 1
        while len(opened) > stay:
            _close(tokens, *opened.pop(), spans[place - 1].marks)
        names = {name for name, _ in opened}
        missing = [mark for mark in _NESTED if getattr(span.marks, mark) and mark not in names]
        text = span.text
        if missing and text[0].isspace():  # a mark that another one interrupted goes on behind white space
            tokens.append(_Token(text[0]))
            text = text[1:]
        for mark in sorted(missing, key=lambda mark: -ends[mark][place]):
            opened.append((mark, len(tokens)))
            tokens.append(_Token("[" if mark == "link" else "", mark))
        if text:
            tokens.append(_Token(text, "code" if span.marks.code else ""))
    while opened:
        _close(tokens, *opened.pop(), spans[-1].marks)
    return tokens


def _close(tokens: list[_Token], mark: str, begin: int, marks: Marks) -> None:
    tokens[begin].partner = len(tokens)
    text = f"]({destination(marks.link)})" if mark == "link" else ""
    tokens.append(_Token(text, mark, is_end=True, partner=begin))


def _ends_of_runs(spans: list[Span]) -> dict[str, list[int]]:
    """Find for each mark and each span where the run of spans with the same mark ends that it is in."""
    ends = {mark: [0] * len(spans) for mark in _NESTED}
    for mark, places in ends.items():
        following = None
        for place in range(len(spans) - 1, -1, -1):
            value = getattr(spans[place].marks, mark)
            places[place] = places[place + 1] if value and value == following else place + 1
            following = value
    return ends


def _leave_out_unreadable(tokens: list[_Token]) -> bool:
    """Choose the signs of emphasis, and leave out those that could not be read; tell whether there were such."""
    places = [place for place, token in enumerate(tokens) if not token.is_out]
    around: dict[int, tuple[_Token | None, _Token | None]] = {}
    for at, place in enumerate(places):
        if tokens[place].mark in _EMPHASIS:
            before = tokens[places[at - 1]] if at else None
            around[place] = before, tokens[places[at + 1]] if at + 1 < len(places) else None
    has_changed = False
    for place, (before, inside) in around.items():
        token = tokens[place]
        if token.is_end:
            continue
        inner, behind = around[token.partner]
        sign = _sign(token.mark, before, inside, inner, behind)
        token.text = tokens[token.partner].text = sign
        if not sign:
            token.is_out = tokens[token.partner].is_out = has_changed = True
    return has_changed


def _sign(mark: str, before: _Token | None, inside: _Token | None, inner: _Token | None, behind: _Token | None) -> str:
    """Return the sign for emphasis between these tokens; empty if there is none that can be read."""
    outer = [_kind(before.last) if before else "space", _kind(behind.first) if behind else "space"]
    edges = [_kind(inside.first) if inside else "space", _kind(inner.last) if inner else "space"]
    for out, edge in zip(outer, edges, strict=True):
        if edge == "space" or (edge != "word" and out in {"word", "symbol"}):
            return ""
    if mark != "emphasis":
        return _SIGNS[mark]
    if not {"word", "symbol"} & set(outer):
        return "_"
    touches = any(token and token.mark in _EMPHASIS for token in (before, inside, inner, behind))
    return "" if touches else "*"


def _kind(sign: str) -> str:
    """Tell what a character is for emphasis: white space, punctuation, a symbol, or part of a word.

    Symbols beyond ASCII are punctuation since version 0.31 of CommonMark, and were not before.
    """
    if sign.isalnum():
        return "word"
    if sign in _ASCII_PUNCTUATION:
        return "sign"
    if sign.isspace():
        return "space"
    return {"P": "sign", "S": "symbol"}.get(unicodedata.category(sign)[0], "word")


def _written(tokens: list[_Token], line_end: str) -> list[str]:
    """Write tokens; texts with nothing between them are escaped together, and code gets the same backticks."""
    parts: list[str] = []
    for kind, group in groupby([token for token in tokens if not token.is_out], _kind_of_token):
        if kind == "text":
            parts.append(escape("".join([token.text for token in group])))
        elif kind == "code":
            parts.append(code_span("".join([token.text for token in group])))
        elif kind == "line end":
            parts += [line_end for _ in group]
        else:
            for token in group:
                if token.mark == "link" and not token.is_end and parts and parts[-1].endswith("!"):
                    parts[-1] = f"{parts[-1][:-1]}\\!"  # or it would be a picture
                parts.append(token.text)
    return parts


def _kind_of_token(token: _Token) -> str:
    if token.mark:
        return "code" if token.mark == "code" else "sign"
    return "line end" if token.text == LINE_END else "text"
