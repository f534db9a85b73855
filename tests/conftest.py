"""What tests share: the sample's pages and truth, a corpus built from it, and the gold data where it is there."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browser import browser
from hypothesis import HealthCheck, settings
from playwright.sync_api import Browser
from unchanged import pytest_ignore_collect, pytest_sessionfinish  # noqa: F401 (hooks)

import gristmill
from gristmill import sample
from gristmill.archive import find_sources, read
from gristmill.cleaning import clean_page
from gristmill.document import Document, Page
from gristmill.engine import InlineEngine
from gristmill.locks import claim, release
from gristmill.pipeline.telling import say_if_outdated

if TYPE_CHECKING:
    from s3_server import S3, FaultyProxy

settings.register_profile(
    "gristmill",
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
)
settings.load_profile("gristmill")

# In the background of a script Ctrl-C is ignored, and would be by all processes that tests start to interrupt them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


GOLD = Path(__file__).parents[2] / "shared" / "gold"


def pytest_xdist_auto_num_workers() -> int:
    """Start two processes more than there are cores: many tests wait, for a delay, a time-out, or another process."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (cores or 1) + 2


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the file that waits a minute and more for servers that do not answer: others run meanwhile."""
    items.sort(key=lambda item: item.path.name != "test_crawl.py")


def pytest_collection_finish() -> None:
    """Have the garbage collector leave alone what is there for good: tens of thousands of tests, and all modules."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def settings_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for the user's settings, also in processes that tests start, so that no test writes to the real one."""
    folder = tmp_path_factory.mktemp("settings")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRISTMILL_HOME", str(folder))
        # Dictionaries take seconds to make ready: all processes of a run share them.
        patch.setenv("GRISTMILL_CACHE", str(tmp_path_factory.getbasetemp().parent / "cache"))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def _no_waiting_for_the_disk() -> Iterator[None]:
    """What this process has written outlives it without that; it is for when the power goes. Others do wait."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that one process of the run makes, while the others wait for it; each has a copy of its own."""
    own = factory.mktemp("corpora") / name
    if "PYTEST_XDIST_WORKER" not in os.environ:
        make(own)
        return own
    place = factory.getbasetemp().parent / "made"
    made, unfinished = place / name, place / "unfinished" / name
    unfinished.parent.mkdir(parents=True, exist_ok=True)
    while (lock := claim(place / f"{name}.lock")) is None:
        time.sleep(0.05)
    try:
        if not made.exists():
            shutil.rmtree(unfinished, ignore_errors=True)  # of a process that was killed
            make(unfinished)
            unfinished.rename(made)
    finally:
        release(lock)
    shutil.copytree(made, own)
    return own


@pytest.fixture(scope="session")
def gold() -> Path:
    """The folder of gold data; tests that need it are skipped without it."""
    if not GOLD.is_dir():
        pytest.skip("the gold data is not here")
    return GOLD


@pytest.fixture(scope="session")
def sample_pages() -> dict[str, Page]:
    """The sample's pages that have a truth, by address."""
    items = read(find_sources(["sample"])[0])
    truth = sample.truth()
    return {item.url: item for item in items if isinstance(item, Page) and item.url in truth}


@pytest.fixture(scope="session")
def sample_documents(sample_pages: dict[str, Page]) -> dict[str, Document]:
    """The sample's pages that have a truth, cleaned with default settings, by address."""
    return {url: clean_page(page) for url, page in sample_pages.items()}


@pytest.fixture(scope="session")
def truth() -> dict[str, dict[str, Any]]:
    """What is true of the sample's pages."""
    return sample.truth()


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """A corpus built from the sample with default settings; not to be written to."""

    def make(folder: Path) -> None:
        gristmill.build(["sample"], folder, engine=InlineEngine())

    return gristmill.Corpus(made_once(tmp_path_factory, "sample", make))


@pytest.fixture(scope="session")
def indexed(corpus: gristmill.Corpus, tmp_path_factory: pytest.TempPathFactory) -> gristmill.Corpus:
    """A corpus built from the sample, annotated and indexed, which takes some seconds; not to be written to."""

    def make(folder: Path) -> None:
        shutil.copytree(corpus.folder, folder)
        gristmill.index(folder, engine=InlineEngine())

    made = gristmill.Corpus(made_once(tmp_path_factory, "indexed", make))
    say_if_outdated(made.reader, None)  # the process that made it knows that it is not, and this one has a copy
    return made


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for the tests of a file; each opens windows of its own. (Its event loop ends with the file.)"""
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def s3() -> Iterator[S3]:
    """An S3 server on loopback that this process and those that it starts use for `s3://` addresses."""
    pytest.importorskip("moto.server", reason="moto is not installed")
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    from s3_server import serving, used  # noqa: PLC0415 (takes long, and few tests need it)

    with serving() as server, used(server.environment):
        yield server


@pytest.fixture
def faulty_s3(s3: S3, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyProxy]:
    """A proxy before the S3 server that makes faults, and is used for `s3://` addresses in place of it."""
    from s3_server import FaultyProxy  # noqa: PLC0415

    with FaultyProxy(s3.endpoint) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.endpoint)
        yield proxy
