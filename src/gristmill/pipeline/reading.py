"""How pages of a build are read, and what becomes of them: decoded, cleaned and filtered, they are documents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from gristmill.archive import Skip, Source, read
from gristmill.cleaning.items.documents import cut
from gristmill.cleaning.items.splitting import of_config, segmented_again, split
from gristmill.cleaning.languages import Languages
from gristmill.cleaning.site import clean_together
from gristmill.config import Config
from gristmill.document import Document, Page
from gristmill.engine import Report
from gristmill.filter import chain_of
from gristmill.pipeline.failures import Failures

_REPORT_BYTES = 1_000_000  # are read before progress is reported again


def read_all(sources: Sequence[Source], config: Config, report: Report) -> Iterator[Page | Skip]:
    """Yield the pages of all sources, and the records that are none."""
    return chain.from_iterable(_reported(source, config, report) for source in sources)


def _reported(source: Source, config: Config, report: Report) -> Iterator[Page | Skip]:
    """Yield what is read from a source, and report from time to time how many bytes were read."""
    reported = source.start
    for item in read(source, chain_of(config.filter).limit):
        place = min(item.offset, source.size)  # in a compressed file of lines it is one in what is unpacked
        if place > reported + _REPORT_BYTES:
            report(place - reported)
            reported = place
        yield item
    report(source.size - reported)


def process(page: Page, config: Config) -> Document:
    """Turn one page into its document, with the reason if a filter drops it; the first, if it is cut into items."""
    return process_site([page], config)[0][0]


def process_site(pages: Sequence[Page], config: Config) -> list[list[Document]]:
    """Turn the pages of one site into documents; they are compared with each other if the cleaning method does that.

    A page is one document, or several if it is cut into items.
    """
    filters = chain_of(config.filter)
    faults = [filters.fault_of_page(page) for page in pages]
    sound = [page for page, fault in zip(pages, faults, strict=True) if not fault]
    languages = Languages.of_config(config)
    cleaned = iter(clean_together(sound, languages, config.clean))
    documents = []
    for page, fault in zip(pages, faults, strict=True):
        if fault:
            document = Document.of(page)
            document.dropped, document.detail = fault
            documents.append([document])
            continue
        parts = _parts_of(next(cleaned), page, languages, config)
        for part in parts:
            if not part.dropped:
                filters.apply(part, languages)
        documents.append(parts)
    return documents


def _parts_of(document: Document, page: Page, languages: Languages, config: Config) -> list[Document]:
    """Cut a page into its items, if that is asked for and it has several."""
    if not config.clean.items or document.dropped:
        return [document]
    how = of_config(config.clean)
    items = split(document, segmented_again(page, languages, config.clean), how)
    return cut(document, items, languages) if len(items.items) >= how.min_items else [document]


def process_safely(pages: Sequence[Page], config: Config, failures: Failures) -> list[list[Document]]:
    """Turn the pages of one site into documents, where an exception in a page costs only that page.

    So does a page that takes more memory than there is. If pages fail together, each is tried alone.
    """
    try:
        return process_site(pages, config)
    except Exception as error:  # noqa: BLE001 (whatever it is, the other pages have nothing to do with it)
        if len(pages) == 1:
            return [[failures.document(pages[0], error)]]
    return [documents for page in pages for documents in process_safely([page], config, failures)]
