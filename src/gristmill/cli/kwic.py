"""Lines of a concordance on a terminal and in plain text: the hits one below the other, with as much context as there is room for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, get_character_cell_size

from gristmill.cli.terminal import safe as safe_text
from gristmill.search.concordance.lines import Line, cut_end, cut_start, is_right_to_left

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

NODE = "bold cyan"
_PLACE = "dim"
_GAP = 2
_BLOCK = " ¶ "
_LONG_WORD = 15  # characters; of a longer one a part is shown
_NARROW = 60
_LEAST = 10  # columns of context, however narrow the terminal is
_FROM_RIGHT, _END = "\u2067", "\u2069"


def side_width(width: int, place: int) -> int:
    """How many columns of a terminal there are to the left of hits, so that these begin in the middle of what places leave."""
    return max((width - place) // 2 - 4, _LEAST)


def terminal_lines(lines: Sequence[Line], width: int) -> Iterator[Text]:
    """Each in one line of the terminal, as it stood in the text, with the hit in bold; where it stood only if there is room for it."""
    from rich.text import Text

    place = max((cell_len(line.doc) for line in lines), default=0) + _GAP if width >= _NARROW else 0
    side = side_width(width, place)
    for line in lines:
        left, node, right = _columns(line, side, width - place - side)
        yield Text.assemble(
            (line.doc.ljust(place)[:place], _PLACE), " " * (side - cell_len(left)) + left, (node, NODE), right
        )


def _columns(line: Line, left: int, right: int) -> tuple[str, str, str]:
    """What stands to the left of a hit, the hit, and what stands to the right, if so many columns are there for both sides."""
    node = from_start(safe(line.node), max(right - _LEAST, right // 2))
    right -= cell_len(node)
    if not is_right_to_left(line.node):
        return from_end(safe(line.left), left), node, from_start(safe(line.right), right)
    # Who reads so looks to the right for what comes before the hit. Each part is turned on its own, so that they stay
    # in their columns.
    parts = from_start(safe(line.right), left), node, from_end(safe(line.left), right)
    after, node, before = (f"{_FROM_RIGHT}{part}{_END}" if part else "" for part in parts)
    return after, node, before


def plain_lines(lines: Sequence[Line]) -> Iterator[str]:
    """The same for files and pipes: as long as they are, with two spaces around the hits."""
    rows = [(line.doc, safe(line.left).rstrip(), safe(line.node), safe(line.right).strip()) for line in lines]
    place, side = (max((cell_len(row[number]) for row in rows), default=0) for number in (0, 1))
    for doc, left, node, right in rows:
        yield f"{doc.ljust(place)}  {' ' * (side - cell_len(left))}{left}  {node}  {right}".rstrip()


def sentence_table(lines: Sequence[Line]) -> Table:
    """Sentences on a terminal, over as many lines as they need."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, _GAP, 0, 0))
    table.add_column(style=_PLACE, no_wrap=True)
    table.add_column()
    for line in lines:
        table.add_row(line.doc, Text.assemble(safe(line.left), (safe(line.node), NODE), safe(line.right)))
    return table


def plain_sentences(lines: Sequence[Line]) -> Iterator[str]:
    """A sentence a line, the hit in angle brackets."""
    for line in lines:
        yield f"{line.doc}  {safe(line.left)}<{safe(line.node)}>{safe(line.right)}"


def safe(text: str) -> str:
    """Text as it can be shown in one line, with a sign where a block ends."""
    return safe_text(text.replace("\n", _BLOCK))


def from_start(text: str, width: int) -> str:
    """As much of a text as so many columns hold; up to the end of a word, if that is near."""
    cut = cut_end(text, _count(text, width))
    if len(cut) == len(text) or text[len(cut)] == " ":
        return cut
    last = cut.rfind(" ", len(cut) - _LONG_WORD)
    return cut if last < 0 else cut[:last]


def from_end(text: str, width: int) -> str:
    """As much of the end of a text as so many columns hold, likewise."""
    cut = cut_start(text, _count(text[::-1], width))
    if len(cut) == len(text) or text[-len(cut) - 1] == " ":
        return cut
    first = cut.find(" ", 0, _LONG_WORD)
    return cut[first + 1 :]


def _count(text: str, width: int) -> int:
    """How many characters fit; some take two columns, and accents none."""
    for number, character in enumerate(text):
        width -= get_character_cell_size(character)
        if width < 0:
            return number
    return len(text)
