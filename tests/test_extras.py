"""Without the packages of extras: a command that needs one says what to install, and never shows a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

from gristmill.evaluation.training import TRAINERS

HIDDEN = """
import contextlib, io, json, sys

class Without:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, *rest):
        return None if name.partition(".")[0] in hidden else self.finder.find_spec(name, *rest)
    def __getattr__(self, name):
        return getattr(self.finder, name)

hidden, commands = map(json.loads, sys.argv[1:])
sys.meta_path[:] = map(Without, sys.meta_path)
from gristmill.cli import main
for arguments in commands:
    sys.argv[1:] = arguments
    code = 0
    with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
        try:
            main()
        except SystemExit as end:
            code = end.code
        except Exception as error:
            code = repr(error)
    print(json.dumps([code, said.getvalue()]))
"""
MODULES = {"ada-url": "ada_url", "python-crfsuite": "pycrfsuite", "unidic-lite": "unidic_lite"}
"""Of packages whose modules have other names."""
ASKING = ["--contact", "me@example.org"]
NEEDING = [
    ["crawl", "http://a.example/", "-o", "crawl", *ASKING],
    ["bootstrap", "flour", "bread", "-o", "corpus", "--lang", "en", "--provider", "searxng:http://a.example", *ASKING],
    ["feeds", "add", "corpus", "http://a.example/feed"],
    ["ask-provider", "searxng:http://a.example", "Who?", *ASKING],
    ["build", "s3://bucket/x.warc.gz", "-o", "corpus"],
    ["build", "gold", "-o", "corpus", "--engine", "ray"],
    ["serve", "corpus"],
    ["evaluate", "gold", "--method", "bte"],
    *(["train", name, "gold", "-o", f"my.{name}"] for name in TRAINERS if name != "page-kind"),
]
"""`page-kind` is learned from public gold standards alone."""
WORKING = [["train", "quality", "good.txt", "bad.txt", "-o", "quality.npz"]]


def hidden() -> list[str]:
    """The modules of all extras."""
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8")
    extras = tomllib.loads(text)["project"]["optional-dependencies"]
    specs = [spec for name in extras if name != "test" for spec in extras[name] if not spec.startswith("gristmill")]
    return [MODULES.get(name, name) for name in (spec.partition(">")[0] for spec in specs)]


def test_no_command_shows_a_traceback(tmp_path: Path) -> None:
    (tmp_path / "gold").mkdir()
    for number in range(4):
        lines = [f"The miller has come to the river {number} times, and has seen {line} boats." for line in range(6)]
        paragraphs = "".join(f"<p>{line}</p>" for line in lines)
        (tmp_path / f"gold/{number}.html").write_text(f"<html><body><a href='/'>home</a>{paragraphs}</body></html>")
        (tmp_path / f"gold/{number}.txt").write_text("\n".join(lines))
    for name, word in (("good", "bread"), ("bad", "offer")):
        (tmp_path / f"{name}.txt").write_text("\n\n".join(f"This is {word} number {number}." for number in range(80)))
    commands = [*NEEDING, *WORKING]
    ran = subprocess.run(
        [sys.executable, "-c", HIDDEN, json.dumps(hidden()), json.dumps(commands)],
        cwd=tmp_path, capture_output=True, check=True, timeout=300,
    )  # fmt: skip
    for arguments, line in zip(commands, ran.stdout.splitlines(), strict=True):
        code, said = json.loads(line)
        if arguments in WORKING:
            assert code == 0, (arguments, code, said)
        else:
            assert code == 2, (arguments, code, said)
            assert "pip install 'gristmill[" in said, (arguments, said)
