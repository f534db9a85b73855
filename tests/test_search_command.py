"""`gristmill search` on the sample, what it says if there is nothing, and how lines and tables are laid out."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from command import Ran, run
from rich.cells import cell_len

from gristmill import Corpus
from gristmill.cli.kwic import from_end, from_start, plain_lines, plain_sentences, sentence_table, terminal_lines
from gristmill.cli.table import chosen_format, table_lines, write_table
from gristmill.errors import UsageError
from gristmill.search.concordance.lines import Line
from gristmill.table import Column


@pytest.fixture
def folder(indexed: Corpus) -> Path:
    """A corpus with an index."""
    return indexed.folder


def _search(folder: Path, *arguments: str, code: int = 0) -> Ran:
    ran = run("search", folder, *arguments)
    assert ran.returncode == code, ran.stderr.decode()
    return ran


def _json(folder: Path, *arguments: str, command: str = "search") -> dict[str, Any]:
    ran = run(command, folder, *arguments, "--json")
    assert ran.returncode == 0, ran.stderr.decode()
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def _total(folder: Path, *arguments: str) -> int:
    return int(_json(folder, *arguments, command="count")["total"])


def _frequency(folder: Path, *arguments: str) -> list[str]:
    ran = run("frequency", folder, *arguments)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode().splitlines()


def test_a_concordance_is_aligned_and_counted(folder: Path) -> None:
    ran = _search(folder, "flour", "--limit", "3")
    lines = ran.stdout.decode().splitlines()
    assert len(lines) == 3
    assert len({line.lower().index("  flour") for line in lines}) == 1
    found = _json(folder, "flour")
    assert (
        f"{found['total']} hits, {found['per_million']:,.2f} per million tokens in {found['documents']} documents"
        in ran.stderr.decode()
    )
    assert f"rows 1-3 of {found['total']}; --limit 0 shows all" in ran.stderr.decode()
    assert found["per_million"] == found["total"] * 1_000_000 / found["tokens"]


def test_lines_are_what_the_documents_say(folder: Path, corpus: Corpus) -> None:
    texts = {document.id: "\n".join(block.text for block in document.blocks) for document in corpus.documents()}
    for query in ("flour", '[tag="PUNCT"]', "的", "και", "и"):
        found = _json(folder, query, "--limit", "0", "--context", "30")
        assert found["total"] == len(found["rows"]) > 0
        for line in found["rows"]:
            assert " ".join((line["left"] + line["node"] + line["right"]).split()) in " ".join(
                texts[line["doc"]].split()
            )
    assert {line["host"] for line in found["rows"]} == {line["url"].split("/")[2] for line in found["rows"]}


def test_formats_have_the_same_lines(folder: Path) -> None:
    found = _json(folder, "flour", "--sort", "right", "--limit", "5")
    rows = list(
        csv.DictReader(
            io.StringIO(_search(folder, "flour", "--sort", "right", "--limit", "5", "--csv").stdout.decode())
        )
    )
    assert [row["position"] for row in rows] == [str(line["position"]) for line in found["rows"]]
    assert list(rows[0])[:5] == ["left", "node", "right", "doc", "url"]
    assert [row["left"] for row in rows] == [line["left"].replace("\n", " ") for line in found["rows"]]
    plain = _search(folder, "flour", "--sort", "right", "--limit", "5").stdout.decode().splitlines()
    assert [line.split()[0] for line in plain] == [line["doc"] for line in found["rows"]]


def test_labelled_tokens_are_marked(folder: Path) -> None:
    query = '1:[tag="ADJ"] 2:[tag="NOUN"]'
    (line, *_) = _json(folder, query)["rows"]
    first, second = line["labels"]["1"]["word"], line["labels"]["2"]["word"]
    assert f"1:{first} 2:{second}" in _search(folder, query).stdout.decode()
    assert f"<1:{first} 2:{second}>" in _search(folder, query, "--view", "sentence").stdout.decode()
    rows = _frequency(folder, query, "--by", "1.lemma", "--csv")
    assert rows[0].startswith("1.lemma,count")


def test_lists_of_words_and_strategies(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "food.txt"
    path.write_text("flour\nwater\n")
    given = ("--list", f"food={path}")
    counts = [_total(folder, f'[lemma="{word}"]') for word in ("flour", "water")]
    assert _total(folder, "[lemma = $food]", *given) == sum(counts)
    assert _total(folder, "flour", "--having", "[lemma = $food]", "--window", "s", *given) > 0
    assert json.loads(run("collocations", folder, "[lemma = $food]", *given, "--json").stdout)["hits"] == sum(counts)
    assert "there is no list $fod" in _search(folder, "[lemma = $fod]", *given, code=2).stderr.decode()
    longest = _json(folder, '[tag="ADJ"]+', "--strategy", "longest", command="count")
    assert longest["total"] < _total(folder, '[tag="ADJ"]+')
    assert longest["asked"]["strategy"] == "longest"


def test_pages_follow_each_other(folder: Path) -> None:
    every = _search(folder, '[tag="ADJ"]', "--limit", "30", "--csv").stdout.decode().splitlines()
    second = _search(folder, '[tag="ADJ"]', "--limit", "10", "--offset", "10", "--csv").stdout.decode().splitlines()
    assert second[1:] == every[11:21]
    beyond = _search(folder, "flour", "--offset", "1000")
    assert b"rows only: choose a lower --offset" in beyond.stderr
    assert beyond.stdout == b""


def test_sentences(folder: Path) -> None:
    lines = _search(folder, "flour", "--view", "sentence").stdout.decode().splitlines()
    assert all("<flour" in line.lower() for line in lines)
    assert max(map(len, lines)) > 80


def test_filters_samples_and_orders(folder: Path) -> None:
    every = {line["position"] for line in _json(folder, "flour", "--limit", "0")["rows"]}
    with_number = {
        line["position"]
        for line in _json(folder, "flour", "--having", '[tag="NUM"]', "--window", "s", "--limit", "0")["rows"]
    }
    without = {
        line["position"]
        for line in _json(folder, "flour", "--lacking", '[tag="NUM"]', "--window", "s", "--limit", "0")["rows"]
    }
    assert with_number
    assert without
    assert (with_number | without, with_number & without) == (every, set())
    first = _json(folder, "flour", "--first-in", "doc", "--limit", "0")
    assert len(first["rows"]) == first["documents"] == len({line["doc"] for line in first["rows"]})
    sample = _json(folder, "flour", "--sample", "4", "--seed", "7")
    assert (sample["sample"], sample["total"]) == (4, len(every))
    assert {line["position"] for line in sample["rows"]} < every
    shuffled = [line["position"] for line in _json(folder, "flour", "--shuffle", "--limit", "0")["rows"]]
    assert set(shuffled) == every
    assert shuffled != sorted(shuffled)
    assert b"a sample of 4" in _search(folder, "flour", "--sample", "4").stderr


def test_a_part_of_the_corpus(folder: Path) -> None:
    part, whole = _json(folder, "2", "--where", 'lang="ru"'), _json(folder, "2")
    assert 0 < part["tokens"] < whole["tokens"]
    assert part["asked"]["where"] == 'lang="ru"'
    assert b"In the rest of the corpus there are" in _search(folder, "flour", "--where", 'lang="ru"').stderr


def test_frequency(folder: Path) -> None:
    table = _frequency(folder, '[tag="NOUN"]', "--by", "lang,lemma", "--limit", "3")
    assert table[0].split() == "lang lemma count share per million per million there".split()
    assert len(table) == 4
    found = _json(folder, '[tag="NOUN"]', "--by", "lang", "--limit", "0", command="frequency")
    assert sum(row["count"] for row in found["rows"]) == found["total"]
    assert len(found["rows"]) == found["distinct"]
    rows = list(csv.DictReader(_frequency(folder, '[tag="NOUN"]', "--by", "-1:tag", "--csv")))
    assert list(rows[0]) == ["-1:tag", "count", "share", "per_million"]
    first = _frequency(folder, '[tag="NOUN"]', "--by", "lemma", "--limit", "4", "--csv")
    second = _frequency(folder, '[tag="NOUN"]', "--by", "lemma", "--limit", "2", "--offset", "2", "--csv")
    assert second[1:] == first[3:]


def test_counts_alone(folder: Path) -> None:
    heading, row = run("count", folder, "flour").stdout.decode().splitlines()
    found = _json(folder, "flour", command="count")
    assert heading.split() == ["hits", "per", "million", "documents", "tokens"]
    assert row.split()[0] == str(found["total"])
    assert "lines" not in found
    spread = _json(folder, "flour", command="dispersion")
    assert (spread["hits"], spread["documents"]) == (found["total"], found["documents"])
    assert 1 <= spread["arf"] <= spread["hits"]
    assert run("dispersion", folder, "flour").stdout.decode().split()[-1] == f"{spread['arf']:.1f}"


def test_distribution(folder: Path) -> None:
    found = _json(folder, "flour", "--by", "host", command="distribution")
    assert sum(row["hits"] for row in found["rows"]) == found["total"] == _total(folder, "flour")
    hits = [row["hits"] for row in found["rows"]]
    assert hits == sorted(hits, reverse=True)
    latest = _json(folder, "flour", "--by", "year", "--limit", "2", command="distribution")["rows"]
    years = [row["value"] for row in _json(folder, "flour", "--limit", "0", command="distribution")["rows"]]
    assert [row["value"] for row in latest] == years[-2:]


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ('[lemma="Oven"]', 'there is "oven": write lemma="Oven"%c'),
        ("flourr", "did you mean 'flour'?"),
        ('[tag="NN"]', "there are: ADJ, ADP"),
        ("flour flour flour", "not as the query puts them together"),
        ('[lemma="flourr" | lemma="flour"] "zzz"', 'No token has the word "zzz"'),
        ('[lemma="flour" & tag!="NOUN" & tag="X"]{2}', "not as the query puts them together"),
        ('("zzz" | "yyy")+', 'No token has the word "zzz"'),
        ("flour|zzz", 'regular expressions are written in double quotes: "go.*|went"'),
        ("'go' 'to'", 'a token stands in straight double quotes: "go" "to".'),
        ("“zzz to” ‘zz.*’%c", 'a token stands in straight double quotes: "zzz" "to" "zz.*"%c.'),
        ("flouzz*", r"write \* and \? for the characters themselves"),
        ('"' + "z?" * 100 + '"%c "zzz"', 'No token has the word "zzz"'),
        ('"' + "z" * 100 + '"', f'No token has the word "{"z" * 80}…"'),
    ],
)
def test_nothing_found(folder: Path, query: str, hint: str) -> None:
    ran = _search(folder, query)
    assert ran.stdout == b""
    assert "0 hits" in ran.stderr.decode()
    assert hint in ran.stderr.decode()
    assert _json(folder, query)["rows"] == []


def test_languages_without_tags_are_told(folder: Path) -> None:
    assert b"have no tag (X)" in _search(folder, '[tag="NOUN"]', "--where", 'lang="pl"').stderr
    assert b"have no tag" not in _search(folder, "flour", "--where", 'lang="cs"').stderr
    assert b"have no tag" not in _search(folder, '[tag="ADJ" & word="flour"]').stderr


def test_nothing_left(folder: Path) -> None:
    assert b"No hit passes the filters" in _search(folder, "flour", "--having", '"zzz"').stderr
    assert b"No document meets the condition" in _search(folder, "flour", "--where", 'lang="xx"').stderr
    assert b"0 different values" in run("frequency", folder, "zzz", "--by", "lemma").stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ('[lemma="x" [',),
        ('"(("',),
        ("",),
        ("flour", "--sort", "wrd"),
        ("flour", "--where", "lang="),
        ("flour", "--having", "["),
        ("flour", "--having", "a", "--window", "far"),
        ("flour", "--view", "line"),
        ("flour", "--sort", "left", "--shuffle"),
        ("flour", "--json", "--csv"),
        ("flour", "--context", "5", "--tokens", "5"),
        ("flour", "--first-in", "page"),
        ("flour", "--offset", "-1"),
    ],
)
def test_wrong_usage(folder: Path, arguments: tuple[str, ...]) -> None:
    ran = _search(folder, *arguments, code=2)
    assert ran.stdout == b""
    assert ran.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("frequency", "flour", "--by", "1:host"),
        ("frequency", "flour", "--seed", "1"),
        ("distribution", "flour", "--by", "hots"),
        ("dispersion", "flour", "--parts", "0"),
        ("count", "[lemma="),
        ("count", "flour", "--window", "3"),
        ("count", "flour", "--only", "word"),
        ("count", "flour", "--first-in", "page"),
    ],
)
def test_wrong_usage_of_counts(folder: Path, arguments: tuple[str, ...]) -> None:
    command, *rest = arguments
    ran = run(command, folder, *rest)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr


def test_errors_point_at_the_place(folder: Path) -> None:
    lines = _search(folder, '[lema="x"]', code=2).stderr.decode().splitlines()
    assert "did you mean 'lemma'" in lines[0]
    assert lines[1].index("lema") == lines[2].index("^")


def _line(left: str, node: str, right: str) -> Line:
    return Line(left, node, right, "00000-000001", "https://x.example/", "x.example", "", 0, 0)


@pytest.mark.parametrize(
    "line",
    [
        _line("the quick brown fox jumps over the ", "lazy", " dog and runs away from all the other dogs of the town"),
        _line(
            "清明前十天，向阳那面坡上的老茶树先冒头。我们只采一芽一叶，",
            "采茶",
            "的都是本村的婶子，手快的一天也不过三斤鲜叶",
        ),
        _line("e\u0301" * 60, "e\u0301", "e\u0301" * 60),
        _line("", "x" * 200, ""),
        _line("\x1b[31m", "mill\n", "\u202eevil"),
    ],
)
@pytest.mark.parametrize("width", [20, 61, 100])
def test_lines_fit_a_terminal_and_hits_begin_in_one_column(line: Line, width: int) -> None:
    first, second = terminal_lines([line, _line("a ", "b", " c")], width)
    for text in (first, second):
        assert cell_len(text.plain) <= width
        assert not set(text.plain) & set("\x1b\n\u202e")
    starts = [
        cell_len(text.plain[: next(span.start for span in text.spans if "bold" in str(span.style))])
        for text in (first, second)
    ]
    assert starts[0] == starts[1]


def test_text_from_right_to_left_is_turned_part_by_part() -> None:
    (text,) = terminal_lines([_line("הוא אכל ", "לחם", " וחמאה.")], 80)
    before, node, after = (f"\u2067{part}\u2069" for part in ("הוא אכל ", "לחם", " וחמאה."))
    assert text.plain.endswith(f" {after}{node}{before}")
    (plain,) = plain_lines([_line("הוא אכל ", "לחם", " וחמאה.")])
    assert plain == "00000-000001  הוא אכל  לחם  וחמאה."


def test_plain_text_is_not_cut() -> None:
    rows = list(plain_lines([_line("x" * 300 + " ", "mill", " y" * 200), _line("水 ", "mill", "")]))
    assert len(rows[0]) > 700
    assert [cell_len(row[: row.index("mill")]) for row in rows] == [316, 316]
    assert list(plain_sentences([_line("“", "Mill", "”, ¶\nhe said.")])) == ["00000-000001  “<Mill>”, ¶ ¶ he said."]
    assert sentence_table([_line("a", "b", "c")]).row_count == 1


def test_cuts_are_between_words_if_one_ends_near() -> None:
    assert from_start("one two three", 9) == "one two"
    assert from_start("one two three", 7) == "one two"
    assert from_end("one two three", 8) == "three"
    assert from_end("one two three", 9) == "two three"
    assert from_start("x" * 30, 20) == from_end("x" * 30, 20) == "x" * 20


def test_tables_are_aligned_by_columns_of_the_terminal() -> None:
    columns = [Column("lemma"), Column("count"), Column("share", "of all", "{:.1%}".format)]
    lines = table_lines(columns, [("面包", 12345, 0.5), ("bread", 7, 0.25), ("\x1b[1mx", None, 0.0)])
    assert lines == ["lemma   count  of all", "面包   12,345   50.0%", "bread       7   25.0%", " [1mx       -    0.0%"]
    assert table_lines(columns, []) == ["lemma  count  of all"]


def test_the_widest_text_of_a_table_is_cut() -> None:
    lines = table_lines(
        [Column("url"), Column("count"), Column("lemma")], [("https://x.example/" + "y" * 80, 1, "go")], 40
    )
    assert max(map(cell_len, lines)) == 40
    assert "…" in lines[1]


def test_tables_as_json_and_csv(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    write_table([Column("word"), Column("rate")], [("a,b", 0.5), ("水", None)], "json", {"total": 2})
    assert json.loads(capfdbinary.readouterr().out) == {
        "total": 2,
        "rows": [{"word": "a,b", "rate": 0.5}, {"word": "水", "rate": None}],
    }
    write_table([Column("word"), Column("rate")], [("a,b", 0.5), ("水", None)], "csv", {"total": 2})
    assert capfdbinary.readouterr().out.decode() == 'word,rate\n"a,b",0.5\n水,\n'
    assert (chosen_format(as_json=False, as_csv=False), chosen_format(as_json=False, as_csv=True)) == ("table", "csv")
    with pytest.raises(UsageError, match="one of them"):
        chosen_format(as_json=True, as_csv=True)


def test_words_need_no_quotes(folder: Path) -> None:
    assert _search(folder, "a", "jar", "of").stdout == _search(folder, "a jar of").stdout != b""


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("flou*", '"flou.*"%c'),
        ("FL?UR", '"fl.ur"%c'),
        ("*our", '".*our"%c'),
        ("* of", '[] [word="of"%c | lemma="of"%c]'),
        ("b*d.", '"b.*d"%c "[.]"'),
        (r"\*", '[word="[*]"]'),
        ("麦?", '"麦."'),
    ],
)
def test_wildcards(folder: Path, query: str, same: str) -> None:
    found, wanted = _json(folder, query, "--limit", "0"), _json(folder, same, "--limit", "0")
    assert found["rows"] == wanted["rows"]
    assert found["total"] or query == "麦?"


def test_wildcards_stand_for_words_not_for_lemmas(folder: Path) -> None:
    assert {line["node"].lower()[:2] for line in _json(folder, "go*", "--limit", "0")["rows"]} == {"go"}


def test_language_and_title_are_in_lines(folder: Path) -> None:
    (line, *_) = _json(folder, "bread")["rows"]
    assert line["lang"] == "en"
    assert line["title"]
    header, first, *_ = _search(folder, "bread", "--csv").stdout.decode().splitlines()
    assert header.split(",")[-3:] == ["lang", "title", "labels"]
    assert f",en,{line['title']}" in first.replace('"', "")
