"""How numbers are put into words, in messages and on pages, and texts of others into one line or into pieces."""

from collections.abc import Iterable, Sequence

_JOINERS = "\u200c\u200d"  # can't be seen, but words of Persian and of scripts of India are spelt with them


def plural(number: int, noun: str) -> str:
    """A number of things: `1 page`, `2,000 pages`, `3 addresses`."""
    ending = "" if number == 1 else "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{ending}"


def size(count: int) -> str:
    """A number of bytes: `320 bytes`, `1.5 kB`, `2.25 GB`."""
    for unit, name in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if count >= unit:
            return f"{count / unit:.{2 if count < 10 * unit else 1 if count < 100 * unit else 0}f} {name}"
    return plural(count, "byte")


def duration(seconds: float) -> str:
    """A time: `42 s`, `3 min 05 s`, `2 h 10 min`, `1 d 04 h`."""
    whole = int(seconds)
    for unit, name, smaller, smaller_name in ((86_400, "d", 3_600, "h"), (3_600, "h", 60, "min"), (60, "min", 1, "s")):
        if whole >= unit:
            return f"{whole // unit} {name} {whole % unit // smaller:02} {smaller_name}"
    return f"{whole} s"


def marked_pieces(text: str, marks: Iterable[Sequence[int]]) -> list[tuple[str, bool]]:
    """Cut a text into pieces, each with whether it is marked; a mark that overlaps the one before does not count."""
    found, end = [], 0
    for start, stop in marks:
        if start >= end:
            found += [(text[end:start], False), (text[start:stop], True)]
            end = stop
    return [(piece, marked) for piece, marked in [*found, (text[end:], False)] if piece]


def one_line(text: str, most: int | None = None) -> str:
    """Text from outside as a line that can be shown, of so many characters at most.

    White space, control characters, changes of direction and halves of characters become single spaces.
    """
    if not text.isprintable():
        text = "".join(sign if sign.isprintable() or sign in _JOINERS else " " for sign in text)
    return " ".join(text.split())[:most].rstrip()
