"""Where CLD2 is not installed, py3langid identifies languages; what is built by one is not mixed with the other."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.config import DEFAULT_IDENTIFIER, IDENTIFIER_LIBRARIES, identifier_and_version
from gristmill.language import IDENTIFIERS, Identifier, check_languages

ENGLISH = "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience."
CZECH = "Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv. Jsou nadáni rozumem a svědomím."
_WITHOUT_CLD2 = """
import sys
sys.modules["pycld2"] = None  # as if it were not installed
from pathlib import Path
import gristmill
from gristmill.engine import InlineEngine
from gristmill.language import IDENTIFIERS, Models, check_languages
from gristmill.language.training import train

folder = Path(sys.argv[1])
assert gristmill.Config().language.identifier == "py3langid"
found = gristmill.identify("Všichni lidé rodí se svobodní a sobě rovní co do důstojnosti a práv.")
assert found.lang == "cs" and found.confidence > 0.9, found
check_languages(["en", "zh", "cs"])
train("qaa", "lorem ipsum dolor sit amet consectetur " * 100)
corpus = gristmill.build(folder / "pages", folder / "corpus", engine=InlineEngine(), progress=False)
assert {document.lang for document in corpus.documents()} == {"en", "cs"}
try:
    Models.load("", "cld2")
except gristmill.UsageError as error:
    print(error)
"""
needs_cld2 = pytest.mark.skipif(DEFAULT_IDENTIFIER != "cld2", reason="CLD2 is not installed")


@pytest.fixture(scope="module")
def langid() -> Identifier:
    return IDENTIFIERS["py3langid"](())


def test_what_it_identifies(langid: Identifier) -> None:
    texts = [ENGLISH, CZECH, ENGLISH.upper(), "Wrtlbrmft Xyzzy Qwghlm " * 10, "Home", "12345 67 (2023)", "\ud800"]
    found = langid.identify_all(texts)
    assert [answer.lang for answer in found] == ["en", "cs", "en", "und", "und", "und", "und"]
    assert found[0].confidence > 0.9
    long = " ".join([CZECH] * 300)
    assert langid.identify_all([long])[0].lang == "cs"


def test_what_it_guesses(langid: Identifier) -> None:
    """A short text has an answer that is not believed, and none where guesses are not wanted."""
    (guessed,) = langid.identify_all(["Privacy policy"])
    assert guessed.lang != "und"
    assert guessed.confidence < 0.5
    assert langid.identify_all(["Privacy policy"], guess=False)[0].lang == "und"


def test_varieties_are_their_languages(langid: Identifier) -> None:
    """All of its codes are those that can be asked for."""
    assert {"ar", "en", "gn", "zh"} <= langid.languages
    assert not {"", "arz", "yue", "zxx"} & langid.languages
    check_languages(langid.languages)
    assert langid.identify_all(["人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心。"])[0].lang == "zh"


def test_the_sample_has_the_languages_that_it_has(truth: dict[str, dict[str, object]], langid: Identifier) -> None:
    """A floor for whole texts, as the default has in its tests."""
    pages = [(page["lang"], " ".join(block["text"] for block in page["blocks"])) for page in truth.values()]  # type: ignore[attr-defined]
    texts = [(lang, text) for lang, text in pages if len(text) > 200]
    right = [
        answer.lang == lang for answer, (lang, _) in zip(langid.identify_all([t for _, t in texts]), texts, strict=True)
    ]
    assert len(right) > 50
    assert sum(right) / len(right) > 0.97


@needs_cld2
def test_a_corpus_without_cld2_keeps_its_identifier(tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for name, text in (("en", ENGLISH), ("cs", CZECH)):
        (tmp_path / "pages" / f"{name}.html").write_text(f"<p>{text * 3}<p>{text}", "utf-8")
    script = [sys.executable, "-c", _WITHOUT_CLD2, str(tmp_path)]
    ended = subprocess.run(script, capture_output=True, check=False, text=True, encoding="utf-8")
    assert ended.returncode == 0, ended.stderr
    assert "the language identifier cld2 is not installed here" in ended.stdout
    assert "pip install pycld2" in ended.stdout
    manifest = tomllib.loads((tmp_path / "corpus" / "corpus.toml").read_text("utf-8"))
    assert manifest["settings"]["language"]["identifier"] == "py3langid"
    assert "pycld2" not in manifest["versions"]
    assert manifest["versions"]["py3langid"] in identifier_and_version("py3langid")

    ran = run("build", tmp_path / "pages", "-o", tmp_path / "corpus")
    assert ran.returncode == 2
    again = ran.stderr.decode()
    assert "settings.language.identifier: 'py3langid' there, 'cld2' here" in again
    article = "Mlynář otevřel stavidlo, kolo se dalo do pohybu a kameny po mnoha letech zase začaly mlít mouku. "
    article += "Dva sousedé přišli s pytli pšenice a čekali do večera, než na ně konečně přišla řada. "
    (tmp_path / "more.html").write_text(f"<p>{article} Potom se vydali domů po staré cestě kolem rybníka.", "utf-8")
    assert run("add", tmp_path / "corpus", tmp_path / "more.html", "--workers", "1").returncode == 0
    assert len(list(gristmill.Corpus(tmp_path / "corpus").documents())) == 3
    added = tomllib.loads((tmp_path / "corpus" / "corpus.toml").read_text("utf-8"))
    assert "versions" not in added["shards"][-1]


def test_it_is_said_by_what_languages_are_identified(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<p>{ENGLISH * 3}")
    said = run(
        "build", tmp_path / "page.html", "-o", tmp_path / "corpus", "--verbose", "--workers", "1"
    ).stderr.decode()
    assert f"languages are identified by {identifier_and_version()}" in said
    assert identifier_and_version("beesley") == "beesley"
    assert set(IDENTIFIER_LIBRARIES) <= set(IDENTIFIERS)
