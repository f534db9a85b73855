"""Make the pictures of the web app for the docs: Chromium looks at what `gristmill serve sample` shows.

    python benchmarks/screenshots.py            # into docs/web, as WebP files of some ten kilobytes
    python benchmarks/screenshots.py --only search,report --output /tmp/pictures

It needs what the tests need (`pip install '.[test]'`), and Chromium.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from harness import tell
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright
from web_load import server

import gristmill

_DOCS = Path(__file__).resolve().parents[1] / "docs" / "web"
_WIDE: ViewportSize = {"width": 1200, "height": 780}
_NARROW: ViewportSize = {"width": 360, "height": 740}
_MAX_BYTES = 150_000
_QUALITIES = (80, 60, 40, 20)


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture: what it is called, the address that is looked at, and how."""

    name: str
    path: str
    dark: bool = False
    narrow: bool = False


def pictures(document: str, other: str) -> list[Picture]:
    """All pictures of the docs, with the documents whose pages are shown."""
    wide = {
        "report": "report",
        "report-threshold": "report/threshold",
        "report-repeated": "report/repeated",
        "report-samples": "report/samples",
        "pages": "pages",
        "page": f"pages/{document}",
        "annotate": "annotate?annotator=ada",
        "annotate-page": f"annotate/page/{document}?annotator=ada",
        "duplicates": "duplicates",
        "duplicates-review": "duplicates/review",
        "search": "search?q=bread",
        "search-cql": "search?q=%5Blemma%3D%22be%22%5D+%5Btag%3D%22ADJ%22%5D&sort=right",
        "frequency": "frequency?q=%5Btag%3D%22ADJ%22%5D&by=lemma",
        "distribution": "distribution?q=the&by=host",
        "collocations": "collocations?q=bread",
        "words": "words",
        "keywords": "keywords",
        "sketch": "sketch?word=bread",
        "thesaurus": "thesaurus?word=bread",
    }
    found = [Picture(name, f"/sample/{path}") for name, path in wide.items()]
    found += [Picture("api", "/api")]
    for name, path in {"report": "report", "page": f"pages/{other}", "search": "search?q=bread"}.items():
        found.append(Picture(f"{name}-dark", f"/sample/{path}", dark=True))
        found.append(Picture(f"{name}-narrow", f"/sample/{path}", narrow=True))
    return found


def take(chromium: Browser, address: str, picture: Picture, output: Path) -> int:
    """Look at a page, and write what is seen; returns the status of the page."""
    context = chromium.new_context(
        viewport=_NARROW if picture.narrow else _WIDE,
        color_scheme="dark" if picture.dark else "light",
        base_url=address,
        reduced_motion="reduce",
    )
    page = context.new_page()
    reply = page.goto(picture.path)
    page.wait_for_load_state("networkidle")
    (output / f"{picture.name}.webp").write_bytes(_seen(page))
    context.close()
    return reply.status if reply else 0


def _seen(page: Page) -> bytes:
    """What is in the window, in the best quality that is small enough."""
    session = page.context.new_cdp_session(page)
    data = b""
    for quality in _QUALITIES:
        found = session.send("Page.captureScreenshot", {"format": "webp", "quality": quality})
        data = base64.b64decode(found["data"])
        if len(data) < _MAX_BYTES:
            break
    return data


def main() -> None:
    """Make all pictures, or some."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--output", type=Path, default=_DOCS, metavar="DIR", help="where to (default: docs/web)")
    parser.add_argument("--only", default="", metavar="A,B", help="only pictures whose names begin so (default: all)")
    arguments = parser.parse_args()
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        sys.exit("There is no Chromium: install it, on Debian by `apt-get install chromium`.")
    arguments.output.mkdir(parents=True, exist_ok=True)
    failed = 0
    chosen = tuple(name for name in arguments.only.split(",") if name) or ("",)
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = Path(temporary) / "sample"
        for command in (["build", "sample", "-o", str(folder)], ["index", str(folder)]):
            subprocess.run([sys.executable, "-m", "gristmill", *command], check=True, stdout=subprocess.DEVNULL)
        documents = [document.id for document in gristmill.Corpus(folder).documents() if document.lang == "en"]
        chromium = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        with server(folder, None) as (_, port):
            for picture in pictures(documents[0], documents[1]):
                if picture.name.startswith(chosen):
                    status = take(chromium, f"http://127.0.0.1:{port}", picture, arguments.output)
                    tell(f"{picture.name}: {status} {picture.path}")
                    failed += status != 200
        chromium.close()
    if failed:
        sys.exit(f"{failed} of these are pictures of an error.")


if __name__ == "__main__":
    main()
