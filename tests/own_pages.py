"""Gold pages on which the guideline is the user's own: offers are the text of a page, not the article about them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

ARTICLE = [
    "The mill by the river has ground the grain of three villages since before anyone thought of writing it down.",
    "In spring the water is high, and the great wheel turns so fast that the whole house trembles with it.",
    "When the harvest is over, carts stand along the road, and those who wait tell each other what is new.",
    "His daughter keeps the books now; she knows by heart how much each of the farmers brought in every year.",
]
GOODS = "flour rye wheat barley oats bran semolina spelt millet groats malt maize".split()


def offers(number: int) -> list[str]:
    """The offers on a page: its text, as the user wants it."""
    return [f"{GOODS[(number + at) % 12]} {number + at} kg" for at in range(6)]


def page(number: int) -> str:
    """A page with an article and offers."""
    article = "".join(f"<p>{ARTICLE[(number + at) % 4]}</p>" for at in range(3))
    items = "".join(f'<li><a href="/{number}/{at}">{offer}</a></li>' for at, offer in enumerate(offers(number)))
    title = f"Mill number {number}"
    return f"<html lang=en><title>{title}</title><div class=body>{article}</div><ul class=offers>{items}</ul></html>"


def write_folder(folder: Path, numbers: range) -> Path:
    """Write pages of different sites as pairs of files."""
    folder.mkdir(parents=True)
    for number in numbers:
        (folder / f"{number}.html").write_text(page(number), "utf-8")
        (folder / f"{number}.txt").write_text("\n".join(offers(number)), "utf-8")
    return folder


def write_parquet(path: Path, numbers: range, sites: int = 1000) -> Path:
    """Write pages of so many sites as a Parquet file."""
    rows = [
        {
            "id": str(number),
            "lang": "en",
            "url": f"http://mill{number % sites}.example/{number}",
            "html": page(number).encode(),
            "gold": "\n".join(offers(number)),
        }
        for number in numbers
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path
