"""Write a small WordNet in Princeton's format: `index.noun` and `data.noun`, with offsets that fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

_HEADER = "  1 This line begins with spaces, as those of the licence do.\n"


def write_wordnet(folder: Path, hypernyms: Mapping[str, str], instances: Mapping[str, str]) -> None:
    """Write nouns with their hypernyms, and single things with the nouns that they are instances of."""
    pointers = {noun: ("@", above) for noun, above in hypernyms.items()}
    pointers |= {name: ("@i", above) for name, above in instances.items()}
    offsets: dict[str, int] = {}
    at = len(_HEADER.encode())
    for noun, (sign, above) in pointers.items():  # an offset has eight digits, so the length of a line is known before
        offsets[noun] = at
        at += len(_line(noun, 0, sign if above else "", 0).encode())
    lines = [
        _line(noun, offsets[noun], sign if above else "", offsets.get(above, 0))
        for noun, (sign, above) in pointers.items()
    ]
    (folder / "data.noun").write_text(_HEADER + "".join(lines), "utf-8")
    index = sorted(f"{_written(noun).lower()} n 1 1 @ 1 0 {offset:08d}  \n" for noun, offset in offsets.items())
    (folder / "index.noun").write_text(_HEADER + "".join(index), "utf-8")


def _line(noun: str, offset: int, sign: str, above: int) -> str:
    pointer = f"001 {sign} {above:08d} n 0000" if sign else "000"
    return f"{offset:08d} 03 n 01 {_written(noun)} 0 {pointer} | a gloss  \n"


def _written(noun: str) -> str:
    return noun.replace(" ", "_")
