"""`gristmill clean`: show the text of one page."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gristmill.cli.choices import ITEM_WAYS, PAGE_FORMATS, one_of
from gristmill.cli.console import note
from gristmill.cli.options import Plugins
from gristmill.cli.output import STANDARD, Output, check_output, write_output
from gristmill.cli.settings import Tables, with_settings
from gristmill.config import Config
from gristmill.errors import UsageError
from gristmill.roles import chosen
from gristmill.wording import plural

if TYPE_CHECKING:
    from gristmill.config import CleanConfig
    from gristmill.document import Document, Page
    from gristmill.language import Models

_BUILD = "gristmill build {} -o corpus"


def given_settings(tables: Tables) -> dict[str, Any]:
    """Settings as `Config.replace` takes them; who says which roles are text also says which ones are left out."""
    clean = tables.get("clean", {})
    if "roles" in clean:
        clean["roles"] = chosen(clean["roles"])
        clean.setdefault("without", ())
    if clean.get("items_model"):
        clean.setdefault("items", ITEM_WAYS[0])
    if models := tables.get("language", {}).get("models"):
        _tell_of_other_files(models)
    return {f"{section}_{key}": value for section, values in tables.items() for key, value in values.items()}


def _tell_of_other_files(folder: str) -> None:
    """Say which files in a folder of models are not used, such as the model of a cleaning method."""
    from gristmill.language.models import other_files

    if others := other_files(folder):
        listed = ", ".join(others[:5]) + (", ..." if len(others) > 5 else "")
        note(f"not used, as --models is for languages: {listed} (the model of a method is given with --model)")


@with_settings(Config, "clean", "language")
def clean(
    page: Annotated[
        str,
        typer.Argument(
            metavar="PAGE",
            help="An HTML, MHTML, text, PDF, DOCX, ODT or EPUB file, or - for standard input.",
            show_default=False,
        ),
    ],
    *,
    tables: Tables,
    output_format: Annotated[
        str, typer.Option("--format", "-f", help=f"{', '.join(PAGE_FORMATS)}.", autocompletion=one_of(PAGE_FORMATS))
    ] = "text",
    output: Output = STANDARD,
    links: Annotated[bool, typer.Option("--links/--no-links", help="Addresses of links in Markdown.")] = True,
    lang: Annotated[str | None, typer.Option(metavar="CODE", help="The page's language [identified].")] = None,
    plugins: Plugins = None,
    url: Annotated[str | None, typer.Option(help="The page's address, for the output and its links.")] = None,
) -> None:
    """Show one page's text, without its boilerplate.

    \b
    Examples:
      gristmill clean page.html
      gristmill clean page.html --format markdown --url https://example.org/
      gristmill clean page.html --format html -o judged.html     every block, coloured by its score
      gristmill clean page.html --roles all --without navigation     with captions, comments and all else
      gristmill clean page.html --items crf                      the items of the page, with an empty line between them
      gristmill clean page.html --model my.mill                  with what gristmill train has learned from your pages
      curl -s https://example.org/ | gristmill clean - --format markup --max-boilerplate 0.3
    """
    from gristmill.archive.kind import looks_like_html
    from gristmill.archive.single import read_single
    from gristmill.cleaning.cleaner import clean_alone
    from gristmill.cleaning.languages import Languages
    from gristmill.cleaning.methods.chosen import method_of
    from gristmill.cli.page import PAGE_FORMATS as SHOWN
    from gristmill.language import Models, check_languages

    del plugins  # they were loaded when they were read
    show = SHOWN[output_format]
    config = Config().replace(**given_settings(tables))
    if method_of(config.clean).score_site:
        method = config.clean.method
        note(f"{method} compares the pages of a site: one page is cleaned by density (gristmill build sees them all)")
    check_output(output)
    known = Models.load(config.language.models)
    check_languages([lang] if lang else [], known)
    found = read_single(sys.stdin.buffer.read(), "", _BUILD.format("FILE")) if page == "-" else _read_page(page)
    if found.body and not (found.is_text or looks_like_html(found.body)):
        note("this does not look like HTML; it is cleaned all the same")
    found.url = url or found.url
    if config.clean.items:
        _show_items(found, output_format, output, (lang, known, config.clean))
        return
    document = clean_alone(found, Languages(known, lang or ""), config.clean)
    write_output(show(document, found, links=links), output)
    if not document.text:
        note(_why_no_text(document))


def _show_items(page: Page, form: str, output: str, cleaning: tuple[str | None, Models, CleanConfig]) -> None:
    """Show the items of a page, and say how many of its blocks are in none."""
    from gristmill.cleaning.items import split_page

    if form not in {"text", "json"}:
        raise UsageError(f"items are shown as text or json, not as {form}")
    lang, models, config = cleaning
    document, items = split_page(page, lang, models, config)
    texts = document.as_columns().folded.tolist()
    if form == "json":
        shown = json.dumps(items.to_json(texts), ensure_ascii=False, indent=1) + "\n"
    else:
        shown = "\n".join("".join(f"{texts[place]}\n" for place in item.places) for item in items.items)
    write_output(shown, output)
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(Counter(items.reasons).items()))
    note(f"{plural(len(items.items), 'item')}; blocks in none of them: {reasons or 'none'}")


def _why_no_text(document: Document) -> str:
    if not document.size:
        return "no text: the page is empty"
    if document.dropped:
        return f"no text: the page has {document.detail}"
    if not document.blocks:
        return "no text: nothing on the page is shown to a reader"
    blocks = f"{len(document.blocks):,} block{'s' * (len(document.blocks) > 1)}"
    if any(block.is_text(document.max_boilerplate) for block in document.blocks):
        return f"no text: {blocks}, all taken for boilerplate or left out for their roles (--roles all takes all roles)"
    return f"no text: {blocks}, all taken for boilerplate (--format html shows them)"


def _read_page(name: str) -> Page:
    from gristmill.archive.single import read_single

    if name.lower().startswith(("http://", "https://")):
        address = shlex.quote(name)
        raise UsageError(
            f"gristmill does not download pages; curl does: curl -sL {address} | gristmill clean - --url {address}"
        )
    path = Path(name)
    if path.is_dir():
        raise UsageError(
            f"{path} is a folder: give an HTML file, or make a corpus of it: gristmill build {path} -o corpus"
        )
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"can't read {path}: {error.strerror}") from error
    return read_single(data, str(path), _BUILD.format(path))
