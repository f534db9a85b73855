"""Build the bundled sample from its sources (`python -m sample`), or check that it is up to date (`--check`)."""

from __future__ import annotations

import sys

from sample import pack, web


def main() -> int:
    """Write the WARC and the truth; with `--check` only compare them with the sources."""
    sites = web.load()
    archive, truths = pack.warc(sites), pack.truth(sites)
    if "--check" in sys.argv[1:]:
        same = pack.same_pages(archive, pack.WARC.read_bytes()) and truths == pack.TRUTH.read_bytes()
        print(
            "the bundled sample is what its sources give"
            if same
            else "the bundled sample is stale: run python -m sample"
        )
        return 0 if same else 1
    pack.WARC.write_bytes(archive)
    pack.TRUTH.write_bytes(truths)
    pages = sum(len(site.pages) for site in sites)
    print(f"{len(sites)} sites, {pages} pages, {len(archive):,} bytes of WARC, {len(truths):,} bytes of truth")
    return 0


if __name__ == "__main__":
    sys.exit(main())
