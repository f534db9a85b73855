"""How often the presets `fineweb` and `datatrove` decide as DataTrove's own filters do.

Each text of English gold standards, as people cleaned it, is given to four filters of DataTrove and to those here that
stand for them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from harness import at_least_one, command_line, print_table, spread

from gristmill.cleaning.languages import Languages
from gristmill.config import FilterConfig
from gristmill.document import Block, Document
from gristmill.filter import Fault, chain_of
from gristmill.language import Models
from gristmill.presets import PRESETS
from gristmill.text.words import count_words

_FINEWEB_ENDS = (
    ".",
    "'",
    '"',
    "!",
    "?",
)  # of lines, when FineWeb was made; DataTrove 0.10 has more of them, and no quotation marks
_OURS = {
    "repetition": ("repeated-lines", "datatrove-ngrams"),
    "quality": ("datatrove-quality",),
    "C4": ("c4-lines", "c4-page"),
    "FineWeb": ("fineweb-quality",),
}


def _peers(preset: str) -> dict[str, Any]:
    try:
        from datatrove.pipeline import filters  # noqa: PLC0415 (only this benchmark needs it)
    except ImportError:
        sys.exit("Install the peer first: pip install datatrove spacy")
    return {
        "repetition": filters.GopherRepetitionFilter(),
        "quality": filters.GopherQualityFilter(),
        "C4": filters.C4QualityFilter(filter_no_terminal_punct=preset == "datatrove"),
        "FineWeb": filters.FineWebQualityFilter(stop_chars=_FINEWEB_ENDS if preset == "fineweb" else None),
    }


def _texts(path: Path, limit: int) -> Iterator[str]:
    table = pq.read_table(path, columns=["gold", "lang"])
    for row in spread(range(table.num_rows), limit):
        lines = [line.strip() for line in (table["gold"][row].as_py() or "").split("\n")]
        if any(lines) and table["lang"][row].as_py() in {"en", "", None}:
            yield "\n".join(filter(None, lines))


def _peer_fault(peer: Any, text: str) -> str:
    from datatrove.data import Document as PeerDocument  # noqa: PLC0415 (as above)

    answer = peer.filter(PeerDocument(text=text, id=""))
    return "" if answer is True else str(answer[1])


def _fault(text: str, preset: str, names: tuple[str, ...]) -> Fault | None:
    blocks = [Block(line, "p", "", 0, len(line), count_words(line), 0, 0, 0) for line in text.split("\n")]
    document = Document(lang="en", lang_confidence=1.0, method="all", blocks=blocks)
    document.measure()
    chain = chain_of(FilterConfig(tuple(spec for spec in PRESETS[preset] if spec.partition(":")[0] in names)))
    chain.drop_blocks(document, Languages(Models.load(), document.lang))
    return chain.fault_of_document(document)


def main() -> None:
    """Print how often both decide the same, and each case in which they don't."""
    parser = command_line(__doc__ or "")
    parser.add_argument("--limit", type=at_least_one, default=300, help="texts of each gold standard (default: 300)")
    parser.add_argument(
        "--sets", default="cleaneval,l3s-gn1,canola", help="gold standards (default: cleaneval,l3s-gn1,canola)"
    )
    parser.add_argument("--preset", choices=("fineweb", "datatrove"), default="fineweb")
    options = parser.parse_args()
    peers = _peers(options.preset)
    counts: Counter[tuple[str, bool, bool]] = Counter()
    for name in options.sets.split(","):
        for number, text in enumerate(_texts(options.gold / f"{name}.parquet", options.limit)):
            for rule, peer in peers.items():
                theirs, ours = _peer_fault(peer, text), _fault(text, options.preset, _OURS[rule])
                counts[rule, bool(theirs), bool(ours)] += 1
                if bool(theirs) != bool(ours):
                    print(
                        f"{name} {number}, {rule}: DataTrove {theirs or 'keeps it'}; here "
                        f"{ours.detail if ours else 'it is kept'}"
                    )
    print_table(
        ["filter", "both keep", "both drop", "only DataTrove drops", "only gristmill drops"],
        [
            [
                rule,
                *(f"{counts[rule, a, b]:,}" for a, b in ((False, False), (True, True), (True, False), (False, True))),
            ]
            for rule in peers
        ],
    )


if __name__ == "__main__":
    main()
