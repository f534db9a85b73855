"""The first bytes of a file stay the first bytes, also if it grows while they are read."""

from pathlib import Path

from gristmill.archive.window import first_bytes


def test_what_is_appended_while_a_file_is_read_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "grows"
    path.write_bytes(b"line 1\nline 2\n")
    with path.open("rb") as file, path.open("ab") as other:
        stream = first_bytes(file, 14)
        assert stream.readline() == b"line 1\n"
        other.write(b"line 3\n")
        other.flush()
        assert stream.read() == b"line 2\n"
        assert stream.seek(7) == 7
        assert stream.read(100) == b"line 2\n"
        assert stream.read() == b""
