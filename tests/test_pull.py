"""Mirrors of corpora: `push`, `pull` and `--mirror`. What comes back is what went there, or there is a clear error."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from command import run
from fastwarc.warc import ArchiveIterator
from killing import contents

import gristmill
from gristmill import consent, sample
from gristmill.consent import Named
from gristmill.corpus import Manifest
from gristmill.corpus.digests import Digests
from gristmill.corpus.mirror import Mirror, MirroredFile, is_inside
from gristmill.engine import InlineEngine, Outcome, Report, Task
from gristmill.errors import GristmillError, UsageError
from gristmill.pipeline import pulling
from gristmill.pipeline.pulling import bring
from gristmill.stores import transfer, uploading
from gristmill.stores.address import Address
from gristmill.stores.errors import StoreError

if TYPE_CHECKING:
    from s3_server import S3, Asked, FaultyProxy

pytest.importorskip("fsspec", reason="fsspec is not installed")

ENGINE = InlineEngine()
SAMPLE = Path(sample.__file__).parent / "web.warc.gz"
SHARDS = 3
RECORDS = 16
"""Records of an archive."""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_PATIENCE", "60")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some pages of the sample in several archives, each of which becomes a shard."""
    folder, data = tmp_path_factory.mktemp("archives"), SAMPLE.read_bytes()
    places = [record.stream_pos for record in ArchiveIterator(io.BytesIO(data))]
    cuts = places[: (SHARDS + 1) * RECORDS : RECORDS]
    for number in range(SHARDS):
        (folder / f"{number}.warc.gz").write_bytes(data[cuts[number] : cuts[number + 1]])
    return folder


@pytest.fixture(scope="module")
def built(archives: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of several shards; not to be written to."""
    folder = tmp_path_factory.mktemp("built") / "corpus"
    gristmill.build(archives, folder, engine=ENGINE)
    return folder


@pytest.fixture
def copied(built: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(built, tmp_path / "corpus"))


@pytest.fixture
def mirror(s3: S3) -> str:
    """An empty place for a mirror."""
    with contextlib.suppress(s3.client.exceptions.BucketAlreadyOwnedByYou):
        s3.client.create_bucket(Bucket="mirrors")
    old = [{"Key": key} for key in s3.keys("mirrors")]
    if old:
        s3.client.delete_objects(Bucket="mirrors", Delete={"Objects": old})
    return "s3://mirrors/corpus"


@pytest.fixture(scope="module")
def published(s3: S3, built: Path) -> str:
    """A mirror of a corpus; not to be written to."""
    address = s3.bucket("published") + "/corpus"
    push(built, address)
    return address


class _Pickling(InlineEngine):
    """Runs tasks as another process would get them."""

    def run(self, tasks: Sequence[Task], report: Report) -> Iterator[Outcome]:
        return super().run(pickle.loads(pickle.dumps(tasks)), report)  # noqa: S301


def push(copied: Path, mirror: str, **options: Any) -> int:
    return gristmill.push(copied, mirror, engine=ENGINE, **options).sent


def pull(mirror: str, folder: Path, **options: Any) -> gristmill.Corpus:
    return gristmill.pull(mirror, folder, engine=ENGINE, **options)


def objects(s3: S3) -> dict[str, bytes]:
    return {key: s3.get("mirrors", key) for key in s3.keys("mirrors") if "/mirror/" not in key}


# There and back


def test_what_comes_back_is_what_went_there(copied: Path, s3: S3, mirror: str, tmp_path: Path) -> None:
    (copied / "lists").mkdir()
    (copied / "lists" / "größe.txt").write_text("groß\n", "utf-8")
    (copied / "lists" / "empty.txt").touch()
    assert push(copied, mirror) == len([path for path in copied.rglob("*") if path.is_file()])
    assert push(copied, mirror) == 0
    back = pull(mirror + "/", tmp_path / "back")
    assert contents(back.folder) == contents(copied)
    assert back.counts == gristmill.Corpus(copied).counts
    assert sum(1 for _ in back.documents()) == back.counts["kept"]
    pull(mirror, tmp_path / "back")  # nothing to be done
    assert all(re.fullmatch(r"corpus/.*\.1-[0-9a-f]{16}(\.\w+)?", key) for key in objects(s3))


def test_to_a_folder_and_to_memory(copied: Path, tmp_path: Path) -> None:
    for mirror in (f"file://{tmp_path}/mirror", f"memory://{tmp_path.name}/mirror"):
        push(copied, mirror)
        (copied / "report.html").write_text(mirror, "utf-8")
        assert push(copied, mirror) == 1
        shutil.rmtree(tmp_path / "back", ignore_errors=True)
        assert contents(pull(mirror, tmp_path / "back").folder) == contents(copied)


def test_only_what_has_changed_is_uploaded(copied: Path, s3: S3, mirror: str, tmp_path: Path) -> None:
    push(copied, mirror)
    before = objects(s3)
    (copied / "report.html").write_bytes(b"another")
    (copied / "ngrams" / "ngrams.json").unlink()
    done = gristmill.push(copied, mirror, engine=ENGINE)
    assert (done.mirror.edition, done.sent, done.sent_bytes, done.removed) == (2, 1, 7, 1)
    after = objects(s3)
    changed = {key.split(".")[0].removeprefix("corpus/") for key in before.keys() ^ after.keys()}
    assert changed == {"report", "ngrams/ngrams"}  # what is not on the list is not in the store any more
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(copied)
    assert s3.get("mirrors", "corpus/mirror/00000001.json") == b'{"superseded": true}\n'


def test_unchanged_files_are_not_read_again(copied: Path, mirror: str, monkeypatch: pytest.MonkeyPatch) -> None:
    old = time.time() - 60
    for path in copied.rglob("*"):
        os.utime(path, (old, old))
    monkeypatch.setattr("gristmill.corpus.digests._SETTLED_SECONDS", -60)  # or it would be a test that sleeps
    push(copied, mirror)
    read: list[Path] = []

    def wrong(path: Path) -> str:
        read.append(path)
        return "0" * 32

    monkeypatch.setattr("gristmill.pipeline.pushing.digest_of", wrong)
    assert push(copied, mirror) == 0
    assert read == []
    document = copied / "shards" / "00001" / "documents.parquet"
    document.write_bytes(document.read_bytes()[::-1])
    os.utime(document, (old, old))  # its size and its time are the same, and yet it is seen
    with pytest.raises(GristmillError, match="was changed while it was uploaded"):
        push(copied, mirror)
    assert read == [document]


def test_hashes_of_what_has_just_changed_are_not_remembered(tmp_path: Path) -> None:
    now = time.time()
    stamps = {name: (1, 2, 3, int((now - ago) * 1e9), int((now - ago) * 1e9)) for name, ago in (("old", 9), ("new", 1))}
    Digests(tmp_path).remember({name: (stamp, name) for name, stamp in stamps.items()}, now)
    known = Digests(tmp_path)
    assert known.known("old", stamps["old"]) == "old"
    assert known.known("new", stamps["new"]) == ""
    assert known.known("old", (1, 2, 4, *stamps["old"][3:])) == ""


def test_locks_and_temporary_files_stay_here(copied: Path, mirror: str, tmp_path: Path) -> None:
    for name in ("corpus.toml.77.tmp", ".subcorpora.lock", "shards/00000/tokens.parquet.99.tmp", "dedup/round"):
        (copied / name).parent.mkdir(exist_ok=True)
        (copied / name).write_bytes(b"passing")
    push(copied, mirror)
    assert all(data != b"passing" for data in contents(pull(mirror, tmp_path / "back").folder).values())


def test_large_files_go_in_parts(
    copied: Path, s3: S3, mirror: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (uploading, "gristmill.pipeline.pushing"):
        target = module if isinstance(module, str) else module.__name__
        monkeypatch.setattr(f"{target}.PART_BYTES", 5 << 20)
    (copied / "pages").mkdir()
    (copied / "pages" / "1.warc.gz").write_bytes(os.urandom(11 << 20))
    s3.client.create_multipart_upload(Bucket="mirrors", Key="corpus/pages/0.1-0123456789abcdef.gz")  # a killed one's
    push(copied, mirror)
    assert "Uploads" not in s3.client.list_multipart_uploads(Bucket="mirrors")
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(copied)


# Builds


def test_a_build_has_a_mirror(archives: Path, built: Path, s3: S3, mirror: str, tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    gristmill.build(archives, folder, engine=_Pickling(), mirror=mirror)
    assert contents(folder) == contents(built)
    found = Mirror.existing(Address.parse(mirror))
    assert found.complete
    assert all(
        file.object.split(".")[1].startswith("1-") for path, file in found.files.items() if "documents.p" in path
    )
    shutil.rmtree(folder)
    assert contents(pull(mirror, folder).folder) == contents(built)
    page = tmp_path / "page.html"
    page.write_text(f"<p>{'A page that was added later, with some words in it. ' * 9}</p>", "utf-8")
    gristmill.add(folder, [page], engine=ENGINE, mirror=mirror)
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(folder)
    assert len(s3.keys("mirrors", "corpus/shards/")) == sum(1 for _ in folder.glob("shards/*/*"))


def test_a_build_that_was_lost_goes_on_from_its_mirror(
    archives: Path, built: Path, mirror: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "corpus"

    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr("gristmill.pipeline.deduplicating.Deduplicating.work", fail)
        with pytest.raises(RuntimeError):
            gristmill.build(archives, folder, engine=ENGINE, mirror=mirror)
    shutil.rmtree(folder)
    done = run("pull", mirror, "-o", folder)
    assert b"The corpus is not complete: run the command that was interrupted" in done.stderr
    times = {path: path.stat().st_mtime_ns for path in folder.glob("shards/*/documents.parquet")}
    assert len(times) == SHARDS
    with pytest.raises(UsageError, match="is not complete: pull all of it"):
        pull(mirror, tmp_path / "part", shards="0")
    gristmill.build(archives, folder, engine=ENGINE, mirror=mirror)
    assert contents(folder) == contents(built)
    assert times == {path: path.stat().st_mtime_ns for path in times}  # no page was read again
    assert Mirror.existing(Address.parse(mirror)).complete


def test_a_build_outlives_a_store_that_fails(
    archives: Path, built: Path, mirror: str, tmp_path: Path, faulty_s3: FaultyProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    from s3_server import Fault  # noqa: PLC0415

    monkeypatch.setenv("GRISTMILL_PATIENCE", "0.1")
    folder = tmp_path / "corpus"
    faulty_s3.add(Fault(999, 503, of=lambda asked: asked.method == "PUT" and "/shards/" in asked.path))
    with pytest.raises(GristmillError, match="can't be reached just now"):
        gristmill.build(archives, folder, engine=ENGINE, mirror=mirror)
    assert contents(folder) == contents(built)
    with pytest.raises(UsageError, match="there is no corpus at"):
        pull(mirror, tmp_path / "back")
    faulty_s3.clear()
    gristmill.build(archives, folder, engine=ENGINE, mirror=mirror)
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(built)


# Interruptions and other writers


def kill_at(faulty_s3: FaultyProxy, command: list[str | Path], chosen: Callable[[Asked], bool], number: int) -> None:
    """Run a command, and kill it when it makes the request of that number among those that are chosen."""
    from s3_server import Fault  # noqa: PLC0415

    victim: list[subprocess.Popen[bytes]] = []
    seen: list[Asked] = []

    def kill(asked: Asked) -> bool:
        if not chosen(asked):
            return False
        seen.append(asked)
        if len(seen) != number:
            return False
        while not victim:
            time.sleep(0.01)
        victim[0].send_signal(signal.SIGKILL)
        victim[0].wait()
        return True

    faulty_s3.add(Fault(1, 500, of=kill))
    with subprocess.Popen([sys.executable, "-m", "gristmill", *map(str, command)]) as process:
        victim.append(process)
    assert process.returncode == -signal.SIGKILL


def test_a_killed_push_goes_on(copied: Path, s3: S3, mirror: str, tmp_path: Path, faulty_s3: FaultyProxy) -> None:
    kill_at(faulty_s3, ["push", copied, mirror], lambda asked: asked.method == "PUT" and "/shards/" in asked.path, 6)
    with pytest.raises(UsageError, match="there is no corpus at"):
        Mirror.existing(Address.parse(mirror))
    there = objects(s3)
    assert there
    faulty_s3.clear()
    push(copied, mirror)
    assert not any(key in asked.path for key in there for asked in faulty_s3.asked("PUT"))  # none is uploaded twice
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(copied)


def test_a_push_that_is_killed_when_it_is_done_is_done(
    copied: Path, s3: S3, mirror: str, tmp_path: Path, faulty_s3: FaultyProxy
) -> None:
    push(copied, mirror)
    (copied / "report.html").write_bytes(b"another")
    kill_at(faulty_s3, ["push", copied, mirror], lambda asked: asked.method == "DELETE", 1)
    (copied / ".lock").unlink()
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(copied)
    (copied / "report.html").write_bytes(b"a third")
    push(copied, mirror)
    assert len(objects(s3)) == len(contents(copied)) - sum(path.is_dir() for path in copied.rglob("*"))


def test_of_two_pushes_at_once_one_fails(copied: Path, s3: S3, mirror: str, tmp_path: Path) -> None:
    push(copied, mirror)
    other = Path(shutil.copytree(copied, tmp_path / "other"))
    (other / "report.html").write_bytes(b"the other one")
    (copied / "report.html").write_bytes(b"this one")
    stale = Mirror.open(Address.parse(mirror))
    push(other, mirror)
    entries = Manifest.read(copied).entries
    with pytest.raises(GristmillError, match="another command has written to s3://mirrors/corpus meanwhile"):
        stale.commit(stale.files.values(), entries, complete=True)
    push(other, mirror)
    with pytest.raises(GristmillError, match="another command"):  # also when that list is no longer the newest one
        stale.commit(stale.files.values(), entries, complete=True)
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(other)
    push(copied, mirror)
    assert contents(pull(mirror, tmp_path / "again").folder) == contents(copied)
    assert len(s3.keys("mirrors", "corpus/report")) == 1


def test_what_changes_meanwhile_is_not_published(copied: Path, mirror: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = transfer.upload_file

    def upload(path: Path, *rest: Any) -> None:
        real(path, *rest)
        if path.name == "report.html":
            (copied / "corpus.toml").write_bytes((copied / "corpus.toml").read_bytes() + b"\n")
            (copied / "shards" / "00000" / "skipped.parquet").touch()

    monkeypatch.setattr("gristmill.pipeline.pushing.upload_file", upload)
    with pytest.raises(
        GristmillError, match=r"was changed (meanwhile|while it was uploaded): run the same command again"
    ):
        push(copied, mirror)
    assert Mirror.open(Address.parse(mirror)).edition == 0


def test_a_killed_pull_goes_on(built: Path, published: str, tmp_path: Path, faulty_s3: FaultyProxy) -> None:
    back = tmp_path / "back"
    kill_at(
        faulty_s3, ["pull", published, "-o", back], lambda asked: asked.method == "GET" and "/shards/" in asked.path, 8
    )
    assert not (back / "corpus.toml").exists()
    with pytest.raises(UsageError, match="there is no corpus in"):
        gristmill.Corpus(back)
    with pytest.raises(UsageError, match=r"another pull to .* was interrupted"):
        pull(published, back, shards="0")
    there = {path.name for path in back.rglob("*.parquet")}
    assert there
    faulty_s3.clear()
    assert contents(pull(published, back).folder) == contents(built)
    assert len(faulty_s3.asked("GET", "/shards/")) < sum(1 for _ in built.glob("shards/*/*"))  # the rest


@pytest.mark.parametrize("fault", [{"status": 503}, {"break_after": 100_000}, {"shorten_to": 1000}, {"stall": 0.1}])
def test_a_pull_in_spite_of_faults(
    built: Path, published: str, tmp_path: Path, faulty_s3: FaultyProxy, fault: dict[str, Any]
) -> None:
    from s3_server import Fault  # noqa: PLC0415

    faulty_s3.add(Fault(3, of=lambda asked: asked.method == "GET" and "/documents." in asked.path, **fault))
    assert contents(pull(published, tmp_path / "back").folder) == contents(built)


def test_a_file_that_came_in_part_is_completed(
    built: Path, published: str, tmp_path: Path, faulty_s3: FaultyProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    from s3_server import Fault  # noqa: PLC0415

    monkeypatch.setattr(transfer, "_RANGE_BYTES", 20_000)
    back, largest = tmp_path / "back", max(built.rglob("*.parquet"), key=lambda path: path.stat().st_size)
    name = largest.relative_to(built).as_posix().removesuffix(".parquet")
    faulty_s3.add(
        Fault(1, 403, "AccessDenied", of=lambda asked: name in asked.path and asked.range.startswith("40000-"))
    )
    with pytest.raises(GristmillError, match="denied"):
        pull(published, back)
    part = next(path for path in (back / ".pull").iterdir() if path.name != "pull.json")
    assert part.stat().st_size == 40_000
    faulty_s3.clear()
    assert contents(pull(published, back).folder) == contents(built)
    assert not any(asked.range.startswith(("0-", "20000-")) for asked in faulty_s3.asked("GET", name))


def test_what_is_published_anew_meanwhile_is_said(
    copied: Path, mirror: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(copied, mirror)
    real = pulling._check_space

    def publish_anew(*given: Any) -> None:
        (copied / "report.html").write_bytes(b"another")
        push(copied, mirror)
        real(*given)

    with monkeypatch.context() as patch:
        patch.setattr(pulling, "_check_space", publish_anew)
        with pytest.raises(
            GristmillError, match=r"report\.html is not at .* any more: it was published anew meanwhile"
        ):
            pull(mirror, tmp_path / "back")
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(copied)


# Parts of a corpus


def test_some_shards_are_a_corpus_of_these(copied: Path, mirror: str, tmp_path: Path) -> None:
    push(copied, mirror)
    folder = tmp_path / "part"
    done = run("pull", mirror, "-o", folder, "--shards", "0,2")
    assert done.returncode == 0, done.stderr
    assert b"holds 2 of the 3 shards of the corpus" in done.stderr
    whole, part = gristmill.Corpus(copied), gristmill.Corpus(folder)
    assert [shard.name for shard in part.shards] == ["00000", "00002"]
    texts = [document.text for document in part.documents()]
    assert texts == [doc.text for doc in whole.documents() if doc.id[:5] in {"00000", "00002"}]
    assert part.counts["kept"] == part.size["documents"] == len(texts)
    assert part.counts["pages"] == sum(1 for _ in part.pages()) < whole.counts["pages"]
    assert gristmill.export(folder, tmp_path / "part.jsonl") == len(texts)
    assert b"holds 2 of the 3 shards of a corpus" in run("status", folder).stderr
    assert json.loads(run("status", folder, "--json").stdout)["part_of"] == SHARDS
    assert run("stats", folder).returncode == 0
    assert run("report", folder).returncode == 0
    with pytest.raises(UsageError, match="holds 2 of the 3 shards of a corpus: add to the whole one"):
        gristmill.add(folder, [SAMPLE], engine=ENGINE)
    with pytest.raises(UsageError, match=r"has shards that the one in .* has not \(00001\)"):
        push(folder, mirror)  # the whole one is not replaced by a part
    push(folder, mirror + "-part")
    assert contents(pull(mirror + "-part", tmp_path / "again").folder) == contents(folder)


def test_a_part_is_searched(copied: Path, mirror: str, tmp_path: Path) -> None:
    gristmill.index(copied, engine=ENGINE)
    push(copied, mirror)
    whole, part = gristmill.Corpus(copied), pull(mirror, tmp_path / "part", only="tokens", shards=[1, "2"])
    assert sorted(path.name for path in part.folder.iterdir()) == ["corpus.toml", "shards"]
    hits = (
        whole.search('[word=".*"]'),
        whole.search('[word=".*"]', where='id="0000[12]-.*"'),
        part.search('[word=".*"]'),
    )
    assert len(hits[0]) > len(hits[1]) == len(hits[2]) > 0
    back = pull(mirror, tmp_path / "all")
    assert contents(back.folder) == contents(copied)
    assert len(back.search('[word=".*"]')) == len(hits[0])


def test_wrong_options(published: str, tmp_path: Path) -> None:
    for option, value, said in (
        ("--shards", "7", "there is no shard 7"),
        ("--shards", "1-9", "there is no shard 1-9"),
        ("--shards", "x", "takes numbers and ranges"),
        ("--shards", "2-1", "there is no shard 2-1"),
        ("--shards", ",", "takes numbers and ranges"),
        ("--only", "documnets", "--only takes some of documents"),
    ):
        done = run("pull", published, "-o", tmp_path / "back", option, value)
        assert done.returncode == 2
        assert said in done.stderr.decode()
    assert not (tmp_path / "back").exists()


# Places


def test_no_other_corpus_is_replaced(copied: Path, mirror: str, tmp_path: Path, archives: Path) -> None:
    push(copied, mirror)
    other = gristmill.build(archives / "1.warc.gz", tmp_path / "other", engine=ENGINE).folder
    before = contents(other)
    with pytest.raises(UsageError, match="holds a corpus: give another folder with -o, or --force"):
        pull(mirror, other)
    with pytest.raises(UsageError, match="holds another corpus than s3://mirrors/corpus"):
        pull(mirror, other, force=True)
    with pytest.raises(UsageError, match=r"s3://mirrors/corpus holds another corpus than .* \(shard 00000 is of other"):
        push(other, mirror)
    assert contents(other) == before
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "mine.txt").touch()
    with pytest.raises(UsageError, match="is not empty and holds no corpus"):
        pull(mirror, tmp_path / "notes")
    with pytest.raises(UsageError, match="is a file"):
        pull(mirror, tmp_path / "notes" / "mine.txt")


def test_an_older_state_is_brought_up_to_date(copied: Path, mirror: str, tmp_path: Path) -> None:
    push(copied, mirror)
    back = pull(mirror, tmp_path / "back").folder
    page = tmp_path / "page.html"
    page.write_text(f"<p>{'A page that was added later, with some words in it. ' * 9}</p>", "utf-8")
    gristmill.add(copied, [page], engine=ENGINE)
    push(copied, mirror)
    with pytest.raises(UsageError, match="--force"):
        pull(mirror, back)
    assert contents(pull(mirror, back, force=True).folder) == contents(copied)


def test_a_full_disk_is_said(built: Path, published: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: shutil._ntuple_diskusage(10, 9, 1))
        with pytest.raises(GristmillError, match=r"not enough space .* it needs \d+\.\d MB, and 0\.0 MB are free"):
            pull(published, tmp_path / "back")
    script = (
        "import resource, signal, sys; from gristmill.cli import main; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)); main()"
    )
    command = [sys.executable, "-c", script, "pull", published, "-o", str(tmp_path / "back")]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1
    assert b"can't write" in done.stderr
    assert b"File too large" in done.stderr
    assert b"Traceback" not in done.stderr
    assert not (tmp_path / "back" / "corpus.toml").exists()
    assert contents(pull(published, tmp_path / "back").folder) == contents(built)


@pytest.mark.parametrize("command", [("push", "{corpus}", "{to}"), ("pull", "{to}", "-o", "{corpus}-x")])
@pytest.mark.parametrize(
    ("to", "said"),
    [
        ("s3://no-such-bucket/x", "there is no bucket no-such-bucket"),
        ("https://example.org/x", "is that of a web server"),
        ("some/folder", "is no address in a store"),
    ],
)
@pytest.mark.usefixtures("s3")
def test_wrong_addresses(built: Path, command: tuple[str, ...], to: str, said: str) -> None:
    done = run(*(word.format(corpus=built, to=to) for word in command))
    assert done.returncode == 2
    assert said in done.stderr.decode()


def test_refusals(copied: Path, mirror: str, tmp_path: Path, faulty_s3: FaultyProxy) -> None:
    from s3_server import Fault  # noqa: PLC0415

    faulty_s3.add(Fault(99, 403, "InvalidAccessKeyId", of=lambda asked: asked.method == "GET"))
    done = run("push", copied, mirror)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"does not accept these credentials" in done.stderr
    faulty_s3.clear()
    faulty_s3.add(Fault(99, 403, "AccessDenied", of=lambda asked: asked.method == "PUT"))
    done = run("push", copied, mirror)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert b"is denied (AccessDenied)" in done.stderr
    faulty_s3.clear()
    push(copied, mirror)
    faulty_s3.add(Fault(99, 403, "AccessDenied", of=lambda asked: asked.method in {"PUT", "POST", "DELETE"}))
    pull(mirror, tmp_path / "back")  # who may only read can pull


def test_a_store_that_overwrites_needs_a_word(
    copied: Path, mirror: str, tmp_path: Path, faulty_s3: FaultyProxy
) -> None:
    from s3_server import Fault  # noqa: PLC0415

    def strips(asked: Asked) -> bool:
        asked.headers.pop("if-none-match", None)
        return False

    faulty_s3.add(Fault(of=strips))
    done = run("push", copied, mirror)
    assert done.returncode == 2
    assert b"give --unguarded if nobody else writes there" in done.stderr
    assert run("push", copied, mirror, "--unguarded").returncode == 0
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(copied)


# Strangers


HOSTILE = (
    "../evil.txt",
    "/etc/evil",
    "shards/../../evil",
    "shards//x",
    "./x",
    "a\\..\\..\\evil",
    "C:/evil",
    "x\n",
    "",
    ".lock",
    "shards/.pull/x",
)


def test_a_list_that_leads_elsewhere_is_refused(copied: Path, s3: S3, mirror: str, tmp_path: Path) -> None:
    push(copied, mirror)
    key = "corpus/mirror/00000001.json"
    good = s3.get("mirrors", key)
    for field, path in [("path", path) for path in HOSTILE] + [("object", path) for path in HOSTILE[:-2]]:
        table = json.loads(good)
        table["files"][-1][field] = path
        s3.put("mirrors", key, json.dumps(table).encode())
        with pytest.raises(GristmillError, match=r"is damaged .* can't be a file of a corpus"):
            pull(mirror, tmp_path / "in" / "back")
    assert [entry.name for entry in tmp_path.iterdir()] == ["corpus"]


def test_damaged_lists_and_objects(copied: Path, s3: S3, mirror: str, tmp_path: Path) -> None:
    push(copied, mirror)
    key = "corpus/mirror/00000001.json"
    good = s3.get("mirrors", key)
    table = json.loads(good)
    doubled = {**table, "files": [*table["files"], table["files"][0]]}
    both = {**table, "files": [*table["files"], {**table["files"][0], "path": "shards"}]}
    for data, said in (
        (good[:-9], "it is no JSON"),
        (b"[]", "is not a table"),
        (json.dumps({**table, "files": {}}).encode(), "files is not a list"),
        (json.dumps({**table, "shards": {"../x": "0"}}).encode(), "can't be the name of a shard"),
        (json.dumps({**table, "shards": {"00000": "0"}}).encode(), "its list is not of its corpus.toml"),
        (json.dumps({**table, "files": table["files"][1:]}).encode(), "no corpus.toml on its list"),
        (json.dumps(doubled).encode(), "is on it twice"),
        (json.dumps(both).encode(), "is a file and a folder"),
        (json.dumps({**table, "mirror": 99}).encode(), "has format 99, and this version"),
    ):
        s3.put("mirrors", key, data)
        with pytest.raises(GristmillError, match=re.escape(said)):
            pull(mirror, tmp_path / "back")
    s3.put("mirrors", key, good)
    document = next(key for key in s3.keys("mirrors") if "00001/documents" in key)
    data = s3.get("mirrors", document)
    for damaged, said in ((data[::-1], "is damaged"), (data[:-1], "is shorter than what was published")):
        s3.put("mirrors", document, damaged)
        with pytest.raises(GristmillError, match=said):
            pull(mirror, tmp_path / "back")
        assert not (tmp_path / "back" / "corpus.toml").exists()
    s3.put("mirrors", document, data)
    assert contents(pull(mirror, tmp_path / "back").folder) == contents(copied)


def test_nothing_is_trusted_by_pulling(published: str, tmp_path: Path) -> None:
    back = tmp_path / "back"
    mine, elsewhere = Named.at("plugin", back / "plugin.py"), Named.at("plugin", tmp_path / "plugin.py")
    consent.allow([mine, elsewhere])  # what was in this folder before is not what comes now
    pull(published, back)
    assert consent.not_allowed([mine, elsewhere]) == [mine]
    consent.allow([mine])
    (back / "report.html").unlink()
    pull(published, back, force=True)
    assert consent.not_allowed([mine, elsewhere]) == [mine]
    consent.forget([elsewhere])


def test_names_of_objects() -> None:
    file = MirroredFile.of("shards/00000/documents.parquet", 7, "0123456789abcdef" * 2, 12)
    assert file.object == "shards/00000/documents.12-0123456789abcdef.parquet"
    assert MirroredFile.of("ngrams/0", 7, "0123456789abcdef" * 2, 1).object == "ngrams/0.1-0123456789abcdef"
    assert is_inside("pages/größe 1:2.warc.gz")


def test_a_corpus_with_a_name_that_no_list_takes(copied: Path, mirror: str) -> None:
    (copied / "a\\b.txt").touch()
    with pytest.raises(UsageError, match="has a name that can't be in a mirror: rename it"):
        push(copied, mirror)


def test_tasks_that_fail_are_named(copied: Path, mirror: str, faulty_s3: FaultyProxy) -> None:
    from s3_server import Fault  # noqa: PLC0415

    faulty_s3.add(Fault(99, 403, "AccessDenied", of=lambda asked: asked.method == "PUT" and "/00001/" in asked.path))
    with pytest.raises(GristmillError, match=r"uploading: 1 of \d+ parts failed:\n  shards/00001: access to") as raised:
        push(copied, mirror)
    assert not isinstance(raised.value, StoreError)
    faulty_s3.clear()
    push(copied, mirror)
    assert not faulty_s3.asked("PUT", "/00002/")


def test_bring_tells_what_came(published: str, tmp_path: Path) -> None:
    done = bring(published, tmp_path / "back", only=["documents", "report"], engine=ENGINE)
    assert (done.edition, done.shards, done.part_of, done.complete) == (1, SHARDS, None, True)
    brought = [path for path in (tmp_path / "back").rglob("*") if path.is_file()]
    assert (done.files, done.bytes) == (len(brought), sum(path.stat().st_size for path in brought))
    assert not (tmp_path / "back" / "ngrams").exists()
