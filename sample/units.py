"""Read the texts of the multilingual sample: one file a topic, all languages side by side, unit by unit.

A unit is what the languages say in common: some sentences in each of them, or none. Which sentences of two pages
translate each other follows from the units; nobody has to write it down.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field

from sample import markup

LANGUAGES = ("en", "de", "cs")
_LINE = re.compile(rf"(?P<mark>(?:#{{1,3}}|[-+>]) )?(?P<lang>{'|'.join(LANGUAGES)}) (?P<joined>& )?(?P<text>.+)")
_TAG = re.compile(r"<[^>]+>")

Bead = tuple[list[str], list[str]]


@dataclass
class Unit:
    """Sentences of one language; `crossed` if they stand in another order than in the other languages."""

    sentences: list[str]
    crossed: bool = False


@dataclass
class Passage:
    """A block in all the languages that have it; `joined` are those in which it goes on with the block before it."""

    mark: str
    units: dict[str, list[Unit]] = field(default_factory=dict)
    joined: set[str] = field(default_factory=set)


@dataclass
class Topic:
    """One page in all its languages: its fields, and its passages in order."""

    name: str
    fields: dict[str, str]
    passages: list[Passage]

    def field(self, name: str, lang: str, default: str = "") -> str:
        """The field for one language (`address.de`), or else for all (`address`)."""
        return self.fields.get(f"{name}.{lang}", self.fields.get(name, default))


def parse(source: str, name: str) -> Topic:
    """Parse the file of a topic; `name` is used in error messages."""
    head, separator, body = source.partition("\n---\n")
    if not separator:
        raise ValueError(f"{name}: no line '---' between the fields and the text")
    pairs = [line.partition(":") for line in head.splitlines()]
    fields = {key.strip(): value.strip() for key, _, value in pairs}
    passages: list[Passage] = []
    for chunk in re.split(r"\n\s*\n", body.strip()):
        passages += _passages(chunk, name)
    return Topic(name, fields, passages)


def _passages(chunk: str, name: str) -> list[Passage]:
    """Read lines that follow each other: where the languages begin again, there is another passage."""
    found: list[Passage] = []
    last = len(LANGUAGES)
    for line in chunk.splitlines():
        match = _LINE.fullmatch(line)
        if not match:
            raise ValueError(f"{name}: not a line of a language: {line!r}")
        lang, mark = match["lang"], match["mark"] or ""
        if LANGUAGES.index(lang) <= last:
            found.append(Passage(mark))
        last = LANGUAGES.index(lang)
        found[-1].units[lang] = [_unit(part.strip()) for part in match["text"].split(" | ")]
        if match["joined"]:
            found[-1].joined.add(lang)
        if found[-1].mark != mark or len({len(units) for units in found[-1].units.values()}) > 1:
            raise ValueError(f"{name}: another mark or number of units than in the line before: {line!r}")
    return found


def _unit(text: str) -> Unit:
    crossed = text.startswith("~ ")
    sentences = [] if text == "-" else text.removeprefix("~ ").split(" + ")
    return Unit(sentences, crossed)


def plain(text: str) -> str:
    """The text as a reader sees it, without emphasis and links."""
    return html.unescape(_TAG.sub("", markup.inline(text)))


@dataclass
class Version:
    """A topic as the page for one language shows it: `langs` says in which language each passage stands there."""

    topic: Topic
    lang: str
    langs: list[str]

    def blocks(self) -> list[markup.SourceBlock]:
        """The blocks of the page, to be rendered."""
        found: list[markup.SourceBlock] = []
        for passage, lang in zip(self.topic.passages, self.langs, strict=True):
            text = " ".join(sentence for unit in passage.units.get(lang, []) for sentence in unit.sentences)
            if text and lang in passage.joined:
                found[-1].text += f" {text}"
            elif text:
                found.append(markup.SourceBlock(passage.mark, text, len(found)))
        return found

    def sentences(self) -> list[str]:
        """The sentences of the page in order, as a reader sees them."""
        units = [unit for number in range(len(self.langs)) for unit in self.units(number)]
        return [plain(sentence) for unit in units for sentence in unit.sentences]

    def units(self, number: int) -> list[Unit]:
        """The units of one passage; none if the page does not have it."""
        return self.topic.passages[number].units.get(self.langs[number], [])


def version(topic: Topic, lang: str) -> Version | None:
    """The page of a topic that stands at the address for a language, None if there is none.

    The field `shows.de: en` says that its text is English, `shows.de: en from 4` that it is so from passage 4 on.
    """
    shown, _, first = topic.fields.get(f"shows.{lang}", "").partition(" from ")
    start = int(first or 0) if shown else len(topic.passages)
    langs = [lang if number < start else shown for number in range(len(topic.passages))]
    found = Version(topic, lang, langs)
    return found if found.blocks() else None


def beads(one: Version, other: Version) -> list[Bead]:
    """Which sentences of two pages of a topic translate each other, in the order of the text.

    Units of as many sentences on both sides are taken sentence by sentence, unless their order is changed. A passage
    that one of the pages has in another language than its own translates nothing: its sentences stand alone.
    """
    found: list[Bead] = []
    for number in range(len(one.langs)):
        ones, others = one.units(number), other.units(number)
        if (one.langs[number], other.langs[number]) != (one.lang, other.lang):
            found += [bead for unit in ones for bead in _beads_of(unit, Unit([]))]
            found += [bead for unit in others for bead in _beads_of(Unit([]), unit)]
            continue
        length = max(len(ones), len(others))
        for left, right in zip(_filled(ones, length), _filled(others, length), strict=True):
            found += _beads_of(left, right)
    return found


def _filled(units: list[Unit], length: int) -> list[Unit]:
    return units or [Unit([])] * length


def _beads_of(one: Unit, other: Unit) -> list[Bead]:
    lefts, rights = [plain(text) for text in one.sentences], [plain(text) for text in other.sentences]
    if not lefts or not rights:
        return [([text], []) for text in lefts] + [([], [text]) for text in rights]
    if len(lefts) == len(rights) and one.crossed == other.crossed:
        return [([left], [right]) for left, right in zip(lefts, rights, strict=True)]
    return [(lefts, rights)]
