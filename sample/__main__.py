"""Build the bundled samples from their sources (`python -m sample`), or check that they are up to date (`--check`)."""

from __future__ import annotations

import sys
from pathlib import Path

from sample import multilingual, pack, pack_parallel, web


def main() -> int:
    """Write the archives and their truth; with `--check` only compare them with the sources."""
    sites, many = web.load(), multilingual.load()
    made = [
        ("sample", pack.WARC, pack.warc(sites), pack.TRUTH, pack.truth(sites)),
        (
            "sample-parallel",
            pack_parallel.WARC,
            pack_parallel.warc(many),
            pack_parallel.TRUTH,
            pack_parallel.truth(many),
        ),
    ]
    if "--check" in sys.argv[1:]:
        return max([_check(*one) for one in made])
    for name, archive, packed, truth, lines in made:
        if not _is_same(archive, packed):
            archive.write_bytes(packed)
        truth.write_bytes(lines)
        print(f"{name}: {len(packed):,} bytes of WARC, {len(lines):,} bytes of truth")
    return 0


def _check(name: str, archive: Path, packed: bytes, truth: Path, lines: bytes) -> int:
    """Say whether the files are what the sources give; 1 if they are not."""
    if _is_same(archive, packed) and truth.exists() and truth.read_bytes() == lines:
        print(f"the bundled {name} is what its sources give")
        return 0
    print(f"the bundled {name} is stale: run python -m sample")
    return 1


def _is_same(archive: Path, packed: bytes) -> bool:
    return archive.exists() and pack.same_pages(packed, archive.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
