"""The filter `badness`: the score of texrex worked by hand, profiles that are read and learned, and what is stored."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import pytest
from command import run

import gristmill
from gristmill.consent import Named, forget
from gristmill.document import UNKNOWN_BADNESS, Document
from gristmill.engine import InlineEngine
from gristmill.errors import UsageError
from gristmill.filter.badness import Badness
from gristmill.filter.badness_profile import Expected, Profile, shipped_profiles, train_profile
from gristmill.filter.badness_training import TEXT_WORDS, profiles_of, texts_of

PROSE = (
    "The mill stands by the river, and it is said that the miller and the baker of the village used to meet in the "
    "evening to talk of the price of flour. That was in a time when a loaf was for a day and the wheel turned for all. "
    "It is a long way from the mill to the town, and in the winter the road is closed for weeks. "
) * 6
NAMES = "Miller Baker Smith Cooper Taylor Weaver Fisher Hunter Mason Carter Potter Turner " * 20


def document(text: str, lang: str = "en") -> Document:
    made = gristmill.clean(f"<p>{text}</p>", method="all")
    made.lang = lang
    return made


def test_badness_worked_by_hand() -> None:
    """Of 100 words 10 are `the`, 1 is `of`, none is `and`; `to` is more frequent than expected.

    `the`: log10(0.1) = -1 is 0.2 below -0.8, two deviations of 0.1. `of`: log10(0.01) = -2 is 0.9 below -1.1, nine
    deviations, of which 5 count. `and` is missing: 5. `to`: log10(0.1) = -1 is above -1.5: 0. In all 2 + 5 + 5 = 12.
    """
    profile = Profile(
        (Expected("the", -0.8, 0.1), Expected("of", -1.1, 0.1), Expected("and", -1.5, 0.2), Expected("to", -1.5, 0.2))
    )
    counts = Counter({"the": 10, "of": 1, "to": 10, "mill": 79})
    assert profile.badness(counts) == pytest.approx(12.0)
    assert profile.badness(Counter()) == 20.0


def test_running_text_is_better_than_names() -> None:
    part = Badness()
    assert part.judge(document(PROSE)).passed
    passed, detail = part.judge(document(NAMES))
    assert (passed, detail) == (False, "a badness of 50.00, more than 35")
    assert Badness(max=50).judge(document(NAMES)).passed


def test_what_has_no_profile_is_not_judged() -> None:
    for made in (document(PROSE, "xx"), document("", "en"), Document(lang="en")):
        assert Badness(max=0).judge(made).passed
        Badness().mark(made)
        assert made.badness == UNKNOWN_BADNESS


def test_profiles_that_ship() -> None:
    profiles = shipped_profiles()
    assert len(profiles) == 43
    assert all(len(profile.words) == 10 for profile in profiles.values())
    assert profiles["en"].words[0].word == "the"
    assert {"cs", "de", "es", "fr", "sv"} <= profiles.keys()
    assert Badness().judge(document("Det er en mølle ved elva, og den er gammel.", "no")).detail.startswith("a badness")


def test_profiles_of_texrex_can_be_read(tmp_path: Path) -> None:
    """Its words are in capitals, and lines that begin with ! are stop words, which play no part."""
    path = tmp_path / "en.prof"
    path.write_text("#n=1000\n!STOP\nTHE|-1.2|0.14|5\nOF|-1.47|0.16|4\n")
    assert Profile.load(str(path)).words == (Expected("the", -1.2, 0.14, 5.0), Expected("of", -1.47, 0.16, 4.0))
    part = Badness(file=str(path), max=8)
    part.check()
    assert part.judge(document(NAMES)) == (False, "a badness of 9.00, more than 8")
    assert Badness(file=str(path), lang="de").judge(document(NAMES)).detail == "a badness of 50.00, more than 35"


@pytest.mark.parametrize("text", ["", "the|-1|0.1", "the|x|0.1|5", "the|-1|0|5", "|-1|0.1|5", "the|-1|nan|5", "# only"])
def test_files_that_are_no_profiles(text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.prof"
    path.write_text(text)
    with pytest.raises(UsageError, match="profile"):
        Badness(file=str(path)).check()
    with pytest.raises(UsageError, match="can't read"):
        Badness(file=str(tmp_path / "none")).check()


def test_parameters_are_checked() -> None:
    for part in (Badness(max=-1), Badness(max=math.nan), Badness(lang="de")):
        with pytest.raises(UsageError, match="badness"):
            part.check()


def test_a_profile_is_learned() -> None:
    """`a` is each second word of 20 texts, `b` each fourth of one half and each eighth of the other.

    log10 of 1/4 and 1/8 is -0.6021 and -0.9031; the mean is -0.7526, and the deviation with 19 degrees of freedom is
    0.1505 * sqrt(20 / 19) = 0.1544. That of `a` is 0, for which 0.01 stands.
    """
    texts = ["a b a c " * 10] * 10 + ["a b a c a d a e " * 10] * 10
    found = train_profile(texts, words=2)
    assert found.words == (Expected("a", -0.301, 0.01), Expected("b", -0.7526, 0.1544))
    assert Profile.from_lines(found.to_text().splitlines(), "x") == found
    with pytest.raises(UsageError, match="19 texts"):
        train_profile(texts[:19])


def test_sentences_become_texts() -> None:
    sentence = "one two three four five six seven eight nine ten"
    texts = list(texts_of([sentence] * (2 * TEXT_WORDS // 10 + 3)))
    assert [len(text.split()) for text in texts] == [TEXT_WORDS, TEXT_WORDS]
    sentences = {"xx": [sentence] * 25 * (TEXT_WORDS // 10), "yy": [sentence], "zh": ["水车转动着"] * 9}
    assert list(profiles_of(sentences)) == ["xx"]


def test_it_is_stored_and_can_be_selected_by(tmp_path: Path) -> None:
    pages = {"http://a.example/prose": PROSE, "http://a.example/names": NAMES}
    lines = [json.dumps({"url": url, "html": f"<html lang=en><p>{text}</p>"}) for url, text in pages.items()]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    config = gristmill.Config().replace(clean_method="all", clean_lang="en")
    config = config.with_filters("badness:max=50", "no-repeated-lines")
    made = gristmill.build([tmp_path / "pages.jsonl"], tmp_path / "corpus", config, engine=InlineEngine())
    prose, names = made.pages()
    assert (prose.badness < 15, names.badness, names.dropped) == (True, 50.0, "")
    assert run("export", made.folder, "-o", tmp_path / "good.jsonl", "--where", "badness<=20").returncode == 0
    (record,) = map(json.loads, (tmp_path / "good.jsonl").read_text().splitlines())
    assert (record["url"], record["badness"]) == (prose.url, prose.badness)
    run("export", made.folder, "-o", tmp_path / "strict.jsonl", "--filter", "badness:max=20")
    assert len((tmp_path / "strict.jsonl").read_text().splitlines()) == 1
    assert b"a badness of 50.00" in run("why", made.folder, "names").stdout
    for condition, said in (("badness<0", False), ('country="DE"', True), ('badness<0 | country="DE"', True)):
        none = run("export", made.folder, "-o", tmp_path / "none.jsonl", "--force", "--where", condition)
        assert (b"country is noted by the filter" in none.stderr, b"badness is noted" in none.stderr) == (said, False)


def test_training_by_command(tmp_path: Path) -> None:
    (tmp_path / "good").mkdir()
    for number in range(20):
        (tmp_path / "good" / f"{number}.txt").write_text(f"{PROSE} {number}")
    path = tmp_path / "own.prof"
    done = run("train", "badness", tmp_path / "good", "--lang", "en", "-o", path)
    assert (done.returncode, f"--filter badness:file={path},lang=en".encode() in done.stderr) == (0, True)
    assert Profile.load(str(path)).words[0].word == "the"
    assert run("train", "badness", tmp_path / "good", "-o", path).returncode == 2


def test_a_profile_that_a_corpus_from_elsewhere_names_is_refused(tmp_path: Path) -> None:
    """Files that filters name go through consent."""
    own = tmp_path / "own.prof"
    own.write_text("the|-1|0.1|5\n")
    (tmp_path / "page.html").write_text(f"<html lang=en><p>{PROSE}")
    config = gristmill.Config().with_filters(f"badness:file={own}", "no-repeated-lines")
    made = gristmill.build([tmp_path / "page.html"], tmp_path / "corpus", config, engine=InlineEngine())
    asked = ("export", made.folder, "--min-length", "10", "-o")
    assert run(*asked, tmp_path / "one.txt").returncode == 0
    forget([Named.at("file", own)])
    refused = run(*asked, tmp_path / "two.txt")
    assert (refused.returncode, b"own.prof" in refused.stderr) == (2, True)
