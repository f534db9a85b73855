"""Writing to object stores: what appears is complete, one of two writers wins, and nothing is left of what failed."""

from __future__ import annotations

import gzip
import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from command import run

import gristmill
from gristmill.errors import GristmillError, UsageError
from gristmill.stores import uploading
from gristmill.stores.address import Address
from gristmill.stores.errors import RefusedError, StoreError
from gristmill.stores.objects import TakenError, UnguardedError, check_exclusive, create, exists, read, sizes, write
from gristmill.stores.uploading import begin_upload

if TYPE_CHECKING:
    from s3_server import S3, Asked, FaultyProxy

pytest.importorskip("fsspec", reason="fsspec is not installed")

MB = 1 << 20


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRISTMILL_PATIENCE", "60")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploading, "PART_BYTES", 5 * MB)  # no server takes smaller ones


@pytest.fixture(params=["s3", "file", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Address:
    """An empty folder in a store of each kind."""
    if request.param == "s3":
        server: S3 = request.getfixturevalue("s3")
        return Address.parse(server.bucket("store") + "/folder")
    return Address.parse(f"file://{tmp_path}" if request.param == "file" else f"memory://{tmp_path.name}")


def uploads(s3: S3, bucket: str) -> list[str]:
    return [item["Key"] for item in s3.client.list_multipart_uploads(Bucket=bucket).get("Uploads", [])]


# Objects


def test_one_of_many_creates_an_object(store: Address) -> None:
    address = store.join("a", "list.json")

    def attempt(number: int) -> bool:
        try:
            create(address, str(number).encode())
        except TakenError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = [number for number, succeeded in enumerate(pool.map(attempt, range(8))) if succeeded]
    assert len(won) == 1
    assert read(address) == str(won[0]).encode()
    assert sizes(store) == {"a/list.json": 1}
    write(address, b"other")
    assert read(address) == b"other"


def test_stores_that_keep_writers_apart_are_known(store: Address) -> None:
    for _ in range(2):
        check_exclusive(store.join("probe"))
    assert exists(store.join("probe"))


def test_a_store_that_ignores_conditions_is_refused(s3: S3, faulty_s3: FaultyProxy) -> None:
    from s3_server import Fault  # noqa: PLC0415

    probe = Address.parse(s3.bucket("careless") + "/probe")

    def strips(asked: Asked) -> bool:
        asked.headers.pop("if-none-match", None)
        return False

    faulty_s3.add(Fault(of=strips))
    with pytest.raises(UnguardedError, match="can't keep two writers apart: give --unguarded"):
        check_exclusive(probe)


def test_a_store_that_does_not_know_conditions_is_refused(s3: S3, faulty_s3: FaultyProxy) -> None:
    from s3_server import Fault  # noqa: PLC0415

    faulty_s3.add(Fault(99, 501, "NotImplemented", of=lambda asked: "if-none-match" in asked.headers))
    with pytest.raises(UnguardedError, match="does not know conditional requests"):
        check_exclusive(Address.parse(s3.bucket("old") + "/probe"))


@pytest.mark.parametrize(
    "fault", [{"lose_answer": True}, {"status": 503}, {"status": 409, "code": "ConditionalRequestConflict"}]
)
def test_an_object_is_created_in_spite_of_faults(s3: S3, faulty_s3: FaultyProxy, fault: dict[str, object]) -> None:
    from s3_server import Fault  # noqa: PLC0415

    address = Address.parse(s3.bucket("faulty") + "/list")
    faulty_s3.add(Fault(2, of=lambda asked: asked.method == "PUT", **fault))  # type: ignore[arg-type]
    create(address, b"mine")
    assert s3.get("faulty", "list") == b"mine"
    with pytest.raises(TakenError, match="is there already"):
        create(address, b"another")


# Uploads


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("size", [0, 3, 5 * MB, 12 * MB + 1])
def test_an_upload_is_seen_when_it_is_complete(store: Address, size: int) -> None:
    address, data = store.join("x.bin"), os.urandom(size)
    with begin_upload(address) as upload:
        for start in range(0, size, MB):
            upload.write(data[start : start + MB])
        assert not exists(address)
        upload.commit(replace=False)
    assert read(address) == data
    assert sizes(store) == {"x.bin": size}
    with begin_upload(address) as upload:
        upload.write(b"other")
        with pytest.raises(TakenError):
            upload.commit(replace=False)
    assert read(address) == data
    with begin_upload(address) as upload:
        upload.write(b"new")
        upload.hold()
        assert read(address) == data
        upload.commit(replace=True)
    assert read(address) == b"new"
    assert sizes(store) == {"x.bin": 3}


@pytest.mark.usefixtures("small_parts")
def test_nothing_is_left_of_what_failed(store: Address, request: pytest.FixtureRequest) -> None:
    def fail() -> None:
        with begin_upload(store.join("x.bin")) as upload:
            upload.write(bytes(11 * MB))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert sizes(store) == {}
    if store.scheme == "s3":
        assert uploads(request.getfixturevalue("s3"), "store") == []


@pytest.mark.usefixtures("small_parts")
def test_parts_are_sent_again(s3: S3, faulty_s3: FaultyProxy) -> None:
    from s3_server import Fault  # noqa: PLC0415

    address, data = Address.parse(s3.bucket("parts") + "/x.bin"), os.urandom(12 * MB)
    faulty_s3.add(Fault(2, 503, of=lambda asked: "partNumber=1" in asked.path))
    faulty_s3.add(Fault(1, lose_answer=True, of=lambda asked: "partNumber=2" in asked.path))
    faulty_s3.add(Fault(1, lose_answer=True, of=lambda asked: asked.method == "POST" and "uploadId=" in asked.path))
    with begin_upload(address) as upload:
        upload.write(data)
        upload.commit(replace=False)
    assert s3.get("parts", "x.bin") == data
    assert uploads(s3, "parts") == []
    assert len(faulty_s3.asked("PUT", "partNumber=1")) == 3


@pytest.mark.usefixtures("small_parts")
def test_one_of_two_uploads_wins(s3: S3) -> None:
    address = Address.parse(s3.bucket("two") + "/x.bin")
    with begin_upload(address) as one, begin_upload(address) as two:
        one.write(bytes(6 * MB))
        two.write(b"2" * 6 * MB)
        two.hold()
        one.commit(replace=False)
        with pytest.raises(TakenError, match="another program has written it meanwhile"):
            two.commit(replace=False)
    assert s3.get("two", "x.bin") == bytes(6 * MB)
    assert uploads(s3, "two") == []


@pytest.mark.usefixtures("small_parts")
def test_who_may_not_write_is_told(s3: S3, faulty_s3: FaultyProxy) -> None:
    from s3_server import Fault  # noqa: PLC0415

    address = Address.parse(s3.bucket("readonly") + "/x.bin")
    faulty_s3.add(Fault(99, 403, "AccessDenied", of=lambda asked: asked.method in {"PUT", "POST"}))

    def attempt(size: int) -> None:
        with begin_upload(address) as upload:
            upload.write(bytes(size))
            upload.commit(replace=False)

    for size in (1, 6 * MB):
        with pytest.raises(RefusedError, match=r"access to s3://readonly/x\.bin is denied"):
            attempt(size)


# Exports


@pytest.fixture
def bucket(s3: S3) -> str:
    return s3.bucket("exports")


@pytest.mark.parametrize("name", ["x.jsonl", "x.jsonl.gz", "x.txt.zst", "x.parquet", "x.vert", "deep/er/x.md"])
def test_an_export_is_the_same_in_a_store(
    corpus: gristmill.Corpus, s3: S3, bucket: str, tmp_path: Path, name: str
) -> None:
    local = tmp_path / name
    local.parent.mkdir(parents=True, exist_ok=True)
    selection = gristmill.Selection(languages=("el",))
    count = gristmill.export(corpus, local, selection=selection)
    assert gristmill.export(corpus, f"{bucket}/{name}", selection=selection) == count
    there = {Path(key).name: s3.get("exports", key) for key in s3.keys("exports")}
    assert there == {path.name: path.read_bytes() for path in local.parent.iterdir() if path.is_file()}


def test_nothing_in_a_store_is_replaced_without_force(corpus: gristmill.Corpus, s3: S3, bucket: str) -> None:
    greek = gristmill.Selection(languages=("el",))
    gristmill.export(corpus, f"{bucket}/x.jsonl", selection=greek)
    before = s3.get("exports", "x.jsonl")
    with pytest.raises(UsageError, match=r"s3://exports/x.jsonl is there already: give another name, or --force"):
        gristmill.export(corpus, f"{bucket}/x.jsonl")
    assert s3.get("exports", "x.jsonl") == before
    gristmill.export(corpus, f"{bucket}/x.jsonl", force=True)
    assert len(s3.get("exports", "x.jsonl")) > len(before)


def test_a_folder_of_files_in_a_store(corpus: gristmill.Corpus, s3: S3, bucket: str, tmp_path: Path) -> None:
    gristmill.export(corpus, tmp_path / "local", "jsonl.gz", shard_size="100kB")
    gristmill.export(corpus, f"{bucket}/some/data", "jsonl.gz", shard_size="100kB")
    local = {path.name: path.read_bytes() for path in (tmp_path / "local").iterdir()}
    assert len(local) > 1
    assert {key.removeprefix("some/data/"): s3.get("exports", key) for key in s3.keys("exports", "some/data/")} == local
    card = tomllib.loads(s3.get("exports", "some/data.toml").decode())
    assert card["export"]["files"] == len(local)
    assert card["export"]["bytes"] == sum(map(len, local.values()))
    with pytest.raises(UsageError, match="is there already"):
        gristmill.export(corpus, f"{bucket}/some/data/", "jsonl.gz", shard_size="100kB")
    gristmill.export(corpus, f"{bucket}/some/data/", "jsonl.gz", shard_size="10MB", force=True)
    assert s3.keys("exports", "some/data/") == ["some/data/00000.jsonl.gz"]  # none of the old files is left among them
    s3.put("exports", "some/data/notes.txt", b"mine")
    with pytest.raises(UsageError, match=r"holds what is not of an export \(notes.txt\)"):
        gristmill.export(corpus, f"{bucket}/some/data", shard_size="10MB", force=True)


def test_a_folder_that_fails_while_it_appears_is_not_taken_for_whole(
    corpus: gristmill.Corpus, s3: S3, bucket: str, faulty_s3: FaultyProxy
) -> None:
    from s3_server import Fault  # noqa: PLC0415

    def second_file(asked: Asked) -> bool:
        return asked.method == "POST" and "data/00001" in asked.path and "uploadId=" in asked.path

    faulty_s3.add(Fault(1, 403, "AccessDenied", of=second_file))
    with pytest.raises(StoreError, match="denied"):
        gristmill.export(corpus, f"{bucket}/data", "jsonl", shard_size="100kB")
    assert s3.keys("exports", "data/") == ["data/00000.jsonl"]
    assert tomllib.loads(s3.get("exports", "data.toml").decode())["export"] == {"folder": "data", "unfinished": True}
    assert uploads(s3, "exports") == []
    count = gristmill.export(corpus, f"{bucket}/data", "jsonl", shard_size="100kB")  # the same call goes through
    lines = b"".join(s3.get("exports", key) for key in s3.keys("exports", "data/")).splitlines()
    assert len(lines) == count
    assert "unfinished" not in tomllib.loads(s3.get("exports", "data.toml").decode())["export"]


def test_of_a_killed_export_nothing_is_seen(
    corpus: gristmill.Corpus, s3: S3, bucket: str, faulty_s3: FaultyProxy
) -> None:
    from s3_server import Fault  # noqa: PLC0415

    command = [sys.executable, "-m", "gristmill", "export", str(corpus.folder), "-o", f"{bucket}/x.jsonl.gz"]
    victim: list[subprocess.Popen[bytes]] = []

    def kill(asked: Asked) -> bool:
        if asked.method != "PUT":
            return False
        while not victim:
            time.sleep(0.01)
        victim[0].send_signal(signal.SIGKILL)
        victim[0].wait()
        return True

    faulty_s3.add(Fault(1, 500, of=kill))
    with subprocess.Popen(command) as process:
        victim.append(process)
    assert process.returncode == -signal.SIGKILL
    assert s3.keys("exports") == []
    assert gristmill.export(corpus, f"{bucket}/x.jsonl.gz") == len(
        gzip.decompress(s3.get("exports", "x.jsonl.gz")).splitlines()
    )


@pytest.mark.usefixtures("small_parts")
def test_parts_that_a_killed_process_left_are_removed(s3: S3, bucket: str) -> None:
    for key in ("x.bin", "x.bin.other"):
        s3.client.create_multipart_upload(Bucket="exports", Key=key)
    with begin_upload(Address.parse(f"{bucket}/x.bin")) as upload:
        upload.write(b"1")
        upload.commit(replace=False)
    assert uploads(s3, "exports") == ["x.bin.other"]  # somebody else's


def test_a_store_without_conditions_takes_exports(
    corpus: gristmill.Corpus, s3: S3, bucket: str, faulty_s3: FaultyProxy
) -> None:
    from s3_server import Fault  # noqa: PLC0415

    faulty_s3.add(Fault(99, 501, "NotImplemented", of=lambda asked: "if-none-match" in asked.headers))
    gristmill.export(corpus, f"{bucket}/x.jsonl", selection=gristmill.Selection(languages=("el",)))
    assert s3.keys("exports") == ["x.jsonl", "x.jsonl.toml"]


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("s3://no-such-bucket/x.jsonl", "there is no bucket no-such-bucket"),
        ("https://example.org/x.jsonl", "nothing can be written to a web server"),
        ("s3://exports/folder/", "is a folder: name a file in it"),
        ("s3://exports/x.unknown", "can't tell the format"),
        ("nostore://exports/x.jsonl", "no store is known by nostore://"),
    ],
)
@pytest.mark.usefixtures("bucket")
def test_wrong_addresses(corpus: gristmill.Corpus, output: str, said: str) -> None:
    done = run("export", corpus.folder, "-o", output)
    assert done.returncode == 2
    assert said in done.stderr.decode()


@pytest.mark.usefixtures("bucket")
def test_wrong_credentials(corpus: gristmill.Corpus, faulty_s3: FaultyProxy) -> None:
    from s3_server import Fault  # noqa: PLC0415

    faulty_s3.add(Fault(99, 403, "SignatureDoesNotMatch", of=lambda asked: asked.method != "HEAD"))
    done = run("export", corpus.folder, "-o", "s3://exports/x.jsonl")
    assert done.returncode == 2
    assert b"does not accept these credentials" in done.stderr
    assert b"AWS_ACCESS_KEY_ID" in done.stderr


@pytest.fixture
def own_memory() -> Iterator[str]:
    from fsspec.implementations.memory import MemoryFileSystem  # noqa: PLC0415

    MemoryFileSystem.store.clear()
    yield "memory://exports"
    MemoryFileSystem.store.clear()


def test_exports_to_other_stores(corpus: gristmill.Corpus, own_memory: str, tmp_path: Path) -> None:
    for place in (own_memory, f"file://{tmp_path}/deep"):
        gristmill.export(corpus, f"{place}/x.jsonl.gz")
        gristmill.export(corpus, f"{place}/data", "jsonl", shard_size="100kB")
        with pytest.raises(UsageError, match="is there already"):
            gristmill.export(corpus, f"{place}/data", "jsonl", shard_size="100kB")
        assert "x.jsonl.gz.toml" in sizes(Address.parse(place))
    with pytest.raises(GristmillError, match="belongs to the corpus"):
        gristmill.export(corpus, f"file://{corpus.folder}/corpus.toml", "text", force=True)
