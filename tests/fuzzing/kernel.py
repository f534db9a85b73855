"""The kernel, whose compiled code reads hostile bytes: it gives what its Python files give, and never reads elsewhere.

Where the kernel is not compiled, its Python files are tried alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from fuzzing.pages import damage, page, sample_pages
from fuzzing.parsers import calls_of_parsers, with_features
from fuzzing.target import Target
from gristmill.annotation import uncompiled
from gristmill.annotation.chunk_rules import ChunkRules
from gristmill.annotation.segmentation.model import SegmenterModel, bucket_starts, character_tables, shipped_model
from gristmill.annotation.tagging.dictionary import _arrays_of
from gristmill.annotation.tagging.reading import traits_of
from gristmill.annotation.tagging.words import Words, code_points
from gristmill.arrays.dtypes import Array
from gristmill.cleaning.features import Features
from gristmill.cleaning.markup import Tags
from gristmill.cleaning.methods.mill import shipped
from gristmill.cleaning.page_kind import FEATURES as KIND_FEATURES
from gristmill.cleaning.page_kind import shipped as kind_trees
from gristmill.cleaning.roles import numbers_of, texts_of
from gristmill.cleaning.segmentation import segment_markup
from gristmill.cleaning.segmented import Segmented
from gristmill.cleaning.uncompiled import blocks as arrays
from gristmill.cleaning.uncompiled.attributes import find_attributes
from gristmill.cleaning.uncompiled.markup import scan
from gristmill.cleaning.uncompiled.tree import RULES as ARRAY_RULES
from gristmill.cleaning.uncompiled.tree import follow
from gristmill.decoding.normalisation import tidy_text, untidy
from gristmill.kernel import COMPILED, mill_columns, rows
from gristmill.kernel.elements import CODES
from gristmill.kernel.mill_columns import FEATURES
from gristmill.kernel.phrases import make_table
from gristmill.kernel.rules import RULES
from gristmill.kernel.tallies import NOT_COUNTED_BIT
from gristmill.language.lettertriples import scores_of

Call = tuple[str, tuple[Any, ...]]
"""The name of a function and what it is given."""
CLASSES = {"cut_words": "Cutter", "read_words": "TextReader"}
"""The functions here by which classes of the kernel are tried."""

_MODULES = (
    "blocks boosting chunks holders kinds letters mill mill_roles names nesting page_links page_numbers"
    " page_tags parse_features parse_learning parse_paths phrases references role_texts roles segments"
    " tag_learning tag_paths tallies text tokens trees utf8 walks word_features"
).split()
_EXPECTED = (IndexError, ValueError, OverflowError, MemoryError, ZeroDivisionError)
"""What may be raised where arrays don't fit together, or bytes are no UTF-8."""
_FAR = 1 << 20
"""Far out of bounds, but not so far that all of the memory is asked for."""


def _functions(package: str) -> SimpleNamespace:
    """Give all functions of the kernel: those of its Python files, or the compiled ones."""
    modules = [import_module(f"{package}.{name}") for name in _MODULES]
    functions = SimpleNamespace(**{name: value for module in modules for name, value in vars(module).items()})
    functions.read_words = lambda *given: _read_words(functions.TextReader, *given)
    functions.cut_words = lambda *given: _cut_words(functions.Cutter, *given)
    found = SimpleNamespace(**vars(functions))
    functions.hash_words = lambda *given: found.hash_words(*_views(given))
    functions.common_beginnings = lambda *given: found.common_beginnings(*_views(given))
    functions.describe_words = lambda *given: found.describe_words(
        *_views(given[:6]), found.Lexicon(*_views(given[6:]))
    )
    functions.score_words = lambda *given: _score_words(found, *given)
    functions.learn_tags = lambda *given: found.learn_tags(found.Rows(*given[:7]), *given[7:])
    functions.learn_values = lambda *given: found.learn_values(found.Rows(*given[:7]), *given[7:])
    vars(functions).update(with_features(found))
    return functions


def _views(arrays: Iterable[Array]) -> list[memoryview]:
    """Give the memory of arrays, whose items are plain numbers in Python, too."""
    return [array.data for array in arrays]


def _score_words(functions: SimpleNamespace, *given: Array) -> Any:
    """Score words by two tables of weights: six arrays of words, ten of a dictionary, and keys and rows of each."""
    keys, weights, value_keys, value_weights = given[16:]
    tables = functions.WeightTable(keys.data, weights, 6), functions.WeightTable(value_keys.data, value_weights, 4)
    return functions.score_words(*_views(given[:6]), functions.Lexicon(*_views(given[6:16])), *tables)


_rules = cache(ChunkRules)


def _read_words(reader: Any, texts: list[str], lang: str, most_bytes: int) -> list[Any]:
    """Read texts one after the other, and tell how many bytes were kept at the end."""
    made = reader(_rules(lang), max(most_bytes, 0))
    return [*map(made.read, texts), made.kept_bytes()]


def _cut_words(cutter: Any, text: str, *arrays: Array) -> list[Any]:
    """Cut a text into words, and describe it, by the tables, the lexicon and the weights of a model."""
    made = cutter(*arrays[:4])
    bare = made.cut(text)
    made.read_lexicon(*arrays[4:7])
    made.read_weights(*arrays[7:])
    return [bare, made.cut(text), *made.describe(text)]


@cache
def _segmenter(lang: str) -> tuple[Array, ...]:
    """The arrays of the model of a language that comes with gristmill, as `_cut_words` is given them."""
    stored = SegmenterModel.load(shipped_model(lang)).arrays
    folds, types = character_tables(stored)
    words, grams = stored["words"], stored["grams"]
    weights, rows_of = stored["weights"].astype(np.int16), stored["rows"].astype(np.int16)
    tables = folds, types, stored["templates"], stored["groups"]
    lexicon = words, bucket_starts(words), stored["classes"]
    return *tables, *lexicon, grams, bucket_starts(grams), weights, rows_of, stored["transitions"]


PYTHON = _functions("gristmill.kernel")
KERNEL = _functions("gristmill.kernel.compiled") if COMPILED else PYTHON

_ENDINGS = [
    "<", "</", "<p", "</p", "<p ", "<p a", "<p a=", "<p a='", '<p class="x', "<p class=x", "<p/", "<!", "<!-", "<!--",
    "<!---", "<!----", "<!----!", "<!--x--", "<!doctype", "<?", "<script>", "<script", "<script>x</scrip",
    "<script></script", "<script></script ", "<script><!--", "<script><!--<script", "<script><!--<script></script",
    "<script><!--<script></script>--", "<style>x</", "<style></style", "<title>", "<title>x</title", "<title><p>",
    "<textarea>x</textarea", "<xmp><p", "<plaintext><p>&amp;", "&", "&#", "&#x", "&#1", "&#x1F60", "&am", "&amp",
    "&CounterClockwiseContourIntegral", "&#99999999999999999999999", "<p style='display:none", "<p hidden",
    "<p style=display:", "<p style='display: none;", "é", "\u0301", "\U0001f600", "\n", " ",
]  # fmt: skip
_UNSPACED = "中國国人的一二20万かなカナーไทยๆกันพ.ศ.็้，。\ud800\U00020000\U0010ffff\x00 "
_REPEATED = [
    "<div>", "<p class=a{0}>", "<p id='{0} b' class=c>x", "<b id={0}>y", " a{0}=b", "<li>x<ul>", "</div>", "&amp;", "&",
    "&nGt;", "&#x301;", "&#{0};",
    "&#x2028;", "&#30;", "&#133;", "\u0301", "e\u0301 ", "<a>x</a>", "<br>", "<br> ", "<td>{0}", "<tr><td>a<td>b", "x ",
    "<span hidden>z ", "<noscript>w ", "<script><!--", "<!--", "-->", "<", "<!", "'", '"', "=", "/", "<h1>H{0}", "的",
    "<script/>v", "<textarea/>", "<noscript/>u", "<p/>", "<i/>t",
    "ไท ย", "\U0001f600", "\U00020000", "<pre>\n a", "<xmp>&", "<title>", "&#0;&#128;&#xd800;", "<table>", "Ã©", ".:,",
]  # fmt: skip


def soup(random: Random) -> str:
    """A page of constructs that are long, many, nested, or not finished where it ends."""
    parts = [page(random)[:2000]] if random.random() < 0.5 else []
    for _ in range(random.choice([1, 1, 2, 4])):
        repeated, number = random.choice(_REPEATED), random.choice([1, 3, 8, 40, 300, 1500])
        parts.append("".join(repeated.replace("{0}", str(random.randrange(2000))) for _ in range(number)))
    if random.random() < 0.3:
        parts.insert(0, f"<p class='{'x' * random.choice([200, 5000])}' ")
    return "".join(parts) + random.choice(_ENDINGS)


@contextmanager
def _poisoned(byte: int) -> Iterator[None]:
    """Let new arrays hold what no function may rely on; in compiled code, too."""
    empty = np.empty

    def poisoned(*given: Any, **options: Any) -> Array:
        made = empty(*given, **options)
        made.view(np.uint8).fill(byte)
        return made

    with patch.object(np, "empty", poisoned):
        yield


def outcome(kernel: SimpleNamespace, call: Call, poison: int) -> Any:
    """What a function returns and what it has written to the arrays that it was given; or what it raises."""
    name, given = call
    given = tuple(value.copy() if isinstance(value, np.ndarray) else value for value in given)
    try:
        with _poisoned(poison):
            returned = getattr(kernel, name)(*given)
    except _EXPECTED as error:
        return next(kind for kind in _EXPECTED if isinstance(error, kind))
    return returned, [value for value in given if isinstance(value, np.ndarray)]


def plain(value: Any) -> Any:
    """A value that can be compared, to the last bit and with the types of arrays."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return value


def calls_on_bytes(data: bytes, random: Random) -> Iterator[Call]:
    """Calls of the functions that are given bytes as they come, whatever they are."""
    place = random.randrange(len(data) + 1)
    yield "tokenise", (data,)
    yield "attributes", (data,)
    yield "attributes", (data[place:],)
    yield "closes_itself", (data[place:],)
    yield "end_of_script", (data, place)
    yield "resolve", (data, random.random() < 0.5)
    yield "survey", (data, untidy())
    yield "unix_lines", (data,)
    yield "resolve", (data[data.find(b"&", place) :], True)
    yield "words_of_name", (data.decode("utf-8", "replace"),)
    ends = sorted(random.choices(range(len(data) + 1), k=random.choice([1, 2, 9])))
    yield "measure", (data, np.array([0, *ends, len(data)], np.int32))
    pieces = np.zeros((rows.PIECE_ROWS, len(ends)), np.int32)
    pieces[rows.PIECE_START], pieces[rows.PIECE_END] = [0, *ends[:-1]], ends
    for row, most in ((rows.SEPARATOR, rows.BLOCK_END), (rows.IN_LINK, 1), (rows.IS_RAW, 1)):
        pieces[row] = random.choices(range(most + 1), k=len(ends))
    yield "write", (data, pieces)
    starts = np.array([0, *ends[:-1]], np.int32)
    yield "count_letters", (data, starts, np.array(ends, np.int32), bytes(random.choices([0, 1], k=256)))
    scores = scores_of(random.choice(["en", "ru"]))
    if scores:
        limited = np.minimum(np.array(ends, np.int32), starts + 200)  # as `plain` does; else sums may overflow
        yield "add_scores", (data, starts, limited, scores.alphabet.numbers, scores.of_triples, scores.alphabet.step)
    columns = np.frombuffer(data[: 5 * (len(data) // 5)], np.uint8).reshape(5, -1) % 32
    derivatives = np.linspace(-1, 1, columns.shape[1] * 2).reshape(-1, 2)
    yield "add_derivatives", (columns[1:].copy(), columns[0] % 8, derivatives, 8, 32)
    keys, spans = np.frombuffer(data, np.uint8).astype(np.int32), np.array([0, *ends], np.int64)
    yield "count_between", (keys, spans[:-1].copy(), spans[1:].copy(), np.zeros(256, np.int32))
    codes = np.arange(256, dtype=np.int64)  # all of one part, but for those that are not counted
    codes[: random.randrange(256)] = 1 << NOT_COUNTED_BIT | 1 << 32
    places = np.array([0, len(data)], np.int64)
    room = np.zeros(len(data) + 1, np.uint32)
    yield "gather_pairs", (keys, spans[:-1].copy(), spans[1:].copy(), codes, np.zeros(2, np.int64), 8, places, room)
    yield from _calls_on_tokens(keys, spans, random)
    yield from _calls_on_texts(data, random)
    yield from _calls_of_taggers(data, random)
    yield from calls_of_parsers(PYTHON, random)
    yield from _calls_on_runs(data)


def _calls_on_tokens(keys: Array, spans: Array, random: Random) -> Iterator[Call]:
    """Calls of the functions that count pairs of tokens and find patterns of them; some are given what does not fit."""
    wrong = random.choice([0, 0, 0, 1])
    rows_of = np.array(random.choices(range(5 + wrong), k=256), np.uint16)
    full = np.full(25, random.choice([0, 65_535]), np.uint16)
    yield "tabulate_pairs", (keys, spans[:-1].copy(), spans[1:].copy(), rows_of, 5, full, np.zeros(len(keys), np.int64))
    pairs = (keys[:-1].astype(np.uint32) << 8) | keys[1:].astype(np.uint32)
    firsts = np.append(0, np.cumsum(np.bincount(keys[:-1], minlength=256)))
    part = np.zeros(1, np.int64), np.array([len(pairs) + wrong]), np.array([0, 256])
    room = np.zeros((2, len(pairs)), np.int64)
    least, limit = random.choice([1, 2]), random.choice([1, 9, 1 << 40])
    yield "count_pairs", (pairs, *part, 8, firsts, np.zeros(256, np.int32), least, limit, room[0], room[1].copy())
    table = np.array(random.choices([-1, 0, 256, 256 + wrong], k=512), np.int32)
    places = np.zeros((2, random.choice([102, 500, 5000])), np.uint32)
    bounds = np.append(spans, len(keys))
    aside = np.zeros(random.choice([1, 50]), np.int64)
    walk = keys.astype(np.uint8), 0, 0, len(keys), bounds, table, 256
    yield "find_walks", (*walk, places[0].copy(), places[1].copy(), 0, aside, 0)


def _calls_on_texts(data: bytes, random: Random) -> Iterator[Call]:
    """Calls that read texts into words: strings of all widths, with lone surrogates, by memories of all sizes."""
    ways = [("latin-1", "strict"), ("utf-8", "surrogateescape"), ("utf-8", "replace"), ("utf-16-le", "replace")]
    text = data[:2000].decode(*random.choice(ways))
    texts = [text, " ".join(random.sample(text.split(), len(text.split()))), text.replace("<", " ")]
    lang = random.choice("de en fi fr ja ru th tr und zh".split())
    expected = _read_words(uncompiled.TextReader, texts, lang, 1 << 20)[:-1]
    most_bytes = random.choice([0, 30_000, 60_000, 1 << 20])
    assert _read_words(KERNEL.TextReader, texts, lang, most_bytes)[:-1] == expected, "texts are read otherwise"
    yield "read_words", (texts, lang, most_bytes)
    letters = random.choices([*_UNSPACED, *text[:20]], k=random.choice([0, 1, 2, 30]))
    yield "word_hash", (text,)
    yield "cut_words", ("".join(letters) + text[:30], *_segmenter(random.choice(["ja", "th", "zh"])))


def _calls_of_taggers(data: bytes, random: Random) -> Iterator[Call]:
    """Calls of the functions that describe words, tag them, and learn to."""
    text = data[random.randrange(len(data) + 1) :][:200].decode(random.choice(["latin-1", "utf-8"]), "surrogateescape")
    words = ["\x02", "\x03", *sorted({*text.split()[:12], "Mills", "a" * random.choice([1, 130])})]
    arrays = [np.asarray(view) for view in Words.of(words).arrays]
    lower = [word.lower() for word in words if len(word) < 50]
    lexicon = list(_arrays_of([(word, random.choice(lower)) for word in lower[:: random.choice([1, 2, 50])]]).values())
    others = [np.asarray(view) for view in code_points(random.sample(words, len(words)))]
    yield "hash_words", (arrays[0], arrays[1])
    yield "common_beginnings", (arrays[0], arrays[1], *others)
    yield "describe_words", (*arrays, *lexicon)
    starts, keys, uses = PYTHON.describe_words(*arrays, *lexicon)
    numbers = np.random.default_rng(random.getrandbits(32))
    labels, values = random.choice([1, 3, 6]), random.choice([1, 4])
    tables = []
    for columns in (labels, values):
        known = np.unique(keys[numbers.random(len(keys)) < 0.7])
        tables += [known, numbers.integers(-127, 128, (len(known), columns)).astype(np.int8)]
    yield "score_words", (*arrays, *lexicon, *tables)
    bounds = np.sort(numbers.integers(0, 15, 4)).astype(np.int32)
    bounds[[0, -1]] = 0, 15
    types = numbers.integers(0, len(words), 15).astype(np.int32)
    large = random.choice([5, 1000, 32767])
    scores = numbers.integers(-large, large + 1, (len(words), 6, labels)).astype(np.int16)
    traits = traits_of(words)
    steps = numbers.integers(-large, large + 1, (labels + 1, labels)).astype(np.int32)
    yield "find_tags", (types, bounds, traits, scores, steps)
    tags, caseless = PYTHON.find_tags(types, bounds, traits, scores, steps)
    bundle_starts = np.append(0, np.cumsum(numbers.integers(1, 4, labels))).astype(np.int32)
    value_starts = np.append(0, np.cumsum(numbers.integers(0, 3, bundle_starts[-1]))).astype(np.int32)
    chosen = numbers.integers(0, values, value_starts[-1]).astype(np.int32)
    scores = numbers.integers(-large, large + 1, (len(words), 4, values)).astype(np.int16)
    yield "find_bundles", (types, bounds, tags, caseless, traits, scores, bundle_starts, value_starts, chosen)
    yield from _calls_of_learning(starts, uses, types, bounds, caseless, numbers)


def _calls_of_learning(
    starts: Array, uses: Array, types: Array, bounds: Array, caseless: Array, numbers: np.random.Generator
) -> Iterator[Call]:
    """Calls of the functions that learn weights, for words whose features are described."""
    size, labels, groups = 40, 4, np.array([0, 3, 5], np.int32)
    rows_of = numbers.integers(0, size, len(uses)).astype(np.int32)
    left_out = numbers.choice([0, 0.25, 0.5], len(starts)).astype(np.float32)
    order = numbers.permutation(len(bounds) - 1).astype(np.int32)
    for name, offsets in (("learn_tags", [0, -1, 1, -2, 2]), ("learn_values", [0, -1, 1])):
        of_roles = np.ascontiguousarray(np.tile(starts, (len(offsets) + 1, 1)))
        of_form = (uses & 16 > 0).astype(np.uint8)
        rows_given = (of_roles, rows_of, of_form, np.array(offsets, np.int32), left_out, 0.1, int(numbers.integers(99)))
        columns = labels if name == "learn_tags" else int(groups[-1])
        weights = numbers.normal(size=(size, columns)).astype(np.float32)
        sentences = types, bounds, order, caseless
        if name == "learn_tags":
            gold = numbers.integers(0, labels, len(types)).astype(np.uint8)
            steps = numbers.normal(size=(labels + 1, labels)).astype(np.float32)
            ones = np.ones_like(weights), steps, np.ones_like(steps)
            yield name, (*rows_given, *sentences, gold, weights, *ones, 0.1)
        else:
            of_groups = np.stack([numbers.integers(-1, 3, len(types)), numbers.integers(3, 5, len(types))], 1)
            gold = np.ascontiguousarray(of_groups.astype(np.int32))
            yield name, (*rows_given, *sentences, gold, groups, weights, np.ones_like(weights), 0.1)


def _calls_on_runs(data: bytes) -> Iterator[Call]:
    """Calls of the functions that tidy valid UTF-8."""
    data = PYTHON.unix_lines(data)
    characters, _, count, _ = KERNEL.survey(data, untidy())
    if characters >= 0:
        yield "find_runs", (data, untidy(), count)
        runs = KERNEL.find_runs(data, untidy(), count)
        yield "gather", (data, runs)
        yield "splice", (data, runs, KERNEL.gather(data, runs))
        yield "splice", (data, runs, b"ab\n" * count)


def calls_on_page(data: bytes, segmentation: str) -> Iterator[Call]:
    """Calls of the functions that follow one another when a page is cut into blocks, then described."""
    rules = RULES[segmentation]
    tags = KERNEL.tokenise(data)
    yield "follow", (tags, rules)
    elements, tops = KERNEL.follow(tags, rules)
    yield "hide", (data, tags, rules, elements, tops)
    hidden = KERNEL.hide(data, tags, rules, elements, tops)
    yield "find_pieces", (data, tags, rules, hidden)
    pieces = KERNEL.find_pieces(data, tags, rules, hidden)
    yield "cut", (data, tags, rules, elements, tops, pieces)
    blocks = KERNEL.cut(data, tags, rules, elements, tops, pieces)
    yield "to_characters", (data, blocks)
    yield "write", (data, pieces)
    for before, behind in blocks[[rows.TAG_BEFORE, rows.TAG_BEHIND], -3:].T.tolist():
        yield "written_between", (data, tags, rules, hidden, max(before, 0), behind)
    yield "hold", (elements, blocks, rules, tags.shape[1])
    yield "find_names", (data, tags, elements)
    yield "are_nested", (tags[rows.CODE], tags[rows.CLOSING])
    yield "survey_tags", (tags[rows.CODE], tags[rows.CLOSING], tags[rows.START], tags[rows.END])
    yield "find_telling", (tags, np.ones(len(CODES) + 2, np.uint8))
    yield "find_raw_texts", (tags,)
    names, bounds = frozenset((b"deutsch", b"en")), bytes(65_536).replace(b"\0", b"\1")
    found = tuple(tags[row] for row in (rows.CODE, rows.CLOSING, rows.START, rows.END))
    yield "find_links", (data, *found, names, bounds)
    spans = np.array([tags[rows.START], tags[rows.END], tags[rows.CODE] % 5], np.int32)
    yield "join_links", (data, spans, (b"", b"", b"https:", b"https://a", b"https://a/b/"), [b"x", b""], b"https://a")
    segmented = segment_markup(Tags(data, tags), len(data), "block")
    yield from _calls_of_mill(segmented)
    yield from _calls_of_kinds(segmented)
    yield from _calls_of_roles(Features(segmented))


def _calls_of_mill(segmented: Segmented) -> Iterator[Call]:
    """Calls of the functions that score the blocks of a page."""
    columns, elements, number = segmented.columns, segmented.elements, len(segmented)
    if not number:
        return
    folded = columns.folded
    yield "measure", (folded.data, folded.offsets)
    measures = KERNEL.measure(folded.data, folded.offsets)
    kept: tuple[Array, ...] = (
        columns.words,
        columns.link_words,
        columns.links,
        columns.tags,
        columns.kind.codes,
        columns.path.codes,
    )
    blocks = np.zeros((mill_columns.BLOCK_ROWS, number), np.int32)
    for row, values in zip(_MILL_ROWS, (*kept, segmented.holders, segmented.tags_before), strict=True):
        blocks[row] = values
    described = np.array(
        [elements.codes, elements.parents, elements.first, elements.end, elements.names.codes], np.int32
    )
    yield "compare", (blocks, measures[rows.LENGTH], folded.data, folded.offsets, folded.data[:80])
    KERNEL.compare(blocks, measures[rows.LENGTH], folded.data, folded.offsets, folded.data[:80])
    table = np.zeros((len(FEATURES), number), np.float32)
    yield "describe", (table, blocks, measures, described, segmented.length)
    KERNEL.describe(table, blocks, measures, described, segmented.length)
    roles = np.arange(number, dtype=np.int32) * 7 % mill_columns.ROLE_NUMBER
    yield "describe_roles", (table, roles, np.ascontiguousarray(columns.words))
    KERNEL.describe_roles(table, roles, np.ascontiguousarray(columns.words))
    yield "find_phrases", (folded.data, folded.offsets)
    phrases, starts = KERNEL.find_phrases(folded.data, folded.offsets)
    known = make_table(np.unique(phrases[::3]), np.linspace(-1, 1, len(np.unique(phrases[::3])), dtype=np.float32))
    yield "weigh", (phrases, starts, *known, table, mill_columns.PHRASES)
    KERNEL.weigh(phrases, starts, *known, table, mill_columns.PHRASES)
    yield "describe_phrases_around", (table,)
    _, trees = shipped()
    values = np.linspace(-1, 1, len(elements.names.values))
    yield "describe_names", (table, blocks, described, values)
    KERNEL.describe_names(table, blocks, described, values)
    few = 5 * (len(trees.columns) // len(trees.leaves))  # all of them would take the Python files too long
    yield "odds", (table, trees.columns[:few], trees.borders[:few], trees.leaves[:5], trees.start)
    scores = np.linspace(0, 1, number)
    yield "label", (table, np.arange(6, dtype=np.int32), scores, np.zeros(number, np.int32))


def _calls_of_roles(page: Features) -> Iterator[Call]:
    """Calls of the functions that find the roles of blocks."""
    yield "word_table", ({text.encode()[:9]: 1 << at % 16 for at, text in enumerate(page.texts)},)
    yield "read_texts", texts_of(page)
    texts = KERNEL.read_texts(*texts_of(page))
    for has_comments, has_offers in ((True, False), (False, True)):
        yield "find_roles", (*numbers_of(page), texts, has_comments, has_offers)


def _calls_of_kinds(segmented: Segmented) -> Iterator[Call]:
    """Calls of the functions that tell the kind of a page."""
    columns, elements, folded = segmented.columns, segmented.elements, segmented.columns.folded
    numbers = np.zeros(len(KIND_FEATURES), np.float32)
    blocks = np.array(
        [columns.words, columns.link_words, columns.kind.codes, columns.path.codes, columns.row], np.int32
    )
    held = np.array([elements.codes, elements.parents, elements.first, elements.end], np.int32)
    yield "measure_page", (numbers, folded.data, folded.offsets, blocks, held)
    KERNEL.measure_page(numbers, folded.data, folded.offsets, blocks, held)
    places = [(at % 7, at % 5) for at in range(len(elements.names.values))]
    yield "count_names", (numbers, elements.names.codes, places)
    trees = kind_trees()
    size = 9 << trees.columns.shape[1]
    yield "tell_kinds", (numbers, trees.columns[:9], trees.borders[:9], trees.leaves[:size], trees.start)


_MILL_ROWS = (
    mill_columns.WORDS,
    mill_columns.LINK_WORDS,
    mill_columns.LINKS,
    mill_columns.TAGS,
    mill_columns.KIND,
    mill_columns.PATH,
    mill_columns.HOLDER,
    mill_columns.TAGS_BEFORE,
)


class Kernel(Target):
    """Every function of the kernel on pages and on bytes: compiled and uncompiled they do the same."""

    name = "kernel"
    _pages = sample_pages()

    def make(self, random: Random) -> tuple[bytes, str, int]:
        """Bytes, how to segment them as a page, and a seed for what else is chosen."""
        match random.randrange(8):
            case 0:
                data = random.randbytes(random.choice([0, 1, 2, 3, 7, 8, 9, 50, 2000]))
            case 1:
                data = damage(random.choice(self._pages), random)
            case 2:
                data = damage(soup(random).encode("utf-8", "replace"), random)
            case 3:
                data = page(random).encode("utf-8", "surrogatepass")
            case _:
                data = soup(random).encode("utf-8", "replace")
        return data[: random.choice([500, 20_000, 20_000, 60_000])], random.choice(list(RULES)), random.getrandbits(32)

    def attempt(self, case: tuple[bytes, str, int]) -> None:
        """Call all functions, on the bytes as they are, and on the page that `decode` makes of them."""
        data, segmentation, seed = case
        random = Random(seed)
        html = tidy_text(data.decode("utf-8", "replace"))
        for call in (*calls_on_bytes(data, random), *calls_on_bytes(html, random), *calls_on_page(html, segmentation)):
            poisons = random.sample(range(256), 2)
            found, expected = (
                plain(outcome(*way)) for way in zip((KERNEL, PYTHON), (call, call), poisons, strict=True)
            )
            assert found == expected, f"{call[0]} gives something else when it is compiled"
        same_as_arrays(html, segmentation)


def same_as_arrays(html: bytes, segmentation: Any) -> None:
    """Cut a page with the kernel and with operations on arrays, given the same tags."""
    markup = scan(html)
    markup.page.cuts, markup.page.missing = [], [0]  # as if the page had no raw text: places are those in the data
    tags = np.zeros((rows.TAG_ROWS, len(markup.codes)), np.int32)
    tags[rows.START] = markup.starts
    tags[[rows.END, rows.RAW_END, rows.TEXT]] = markup.ends
    tags[rows.CODE], tags[rows.CLOSING] = markup.codes, markup.closing
    opened = follow(markup, ARRAY_RULES[segmentation]).opened[1:]
    tags[rows.HIDES, find_attributes(markup, opened).hidden] = 1
    expected = arrays.segment_markup(markup, 0, segmentation)
    found = segment_markup(Tags(markup.data, tags), 0, segmentation)
    for name in ("codes", "parents", "first", "end"):
        assert getattr(found.elements, name).tolist() == getattr(expected.elements, name).tolist(), name
    assert found.holders.tolist() == expected.holders.tolist(), "other elements hold the blocks"
    assert found.tags_before.tolist() == expected.tags_before.tolist(), "other tags stand before blocks"
    assert found.blocks == expected.blocks, "other blocks"
    assert found.texts == expected.texts, "other texts"


class Misfits(Target):
    """Every function of the kernel on arrays that do not fit together: it may raise, but not read outside of them.

    Only what is wrong with memory can be found; it is best looked for with the sanitizers (see CONTRIBUTING.md).
    """

    name = "misfits"

    def make(self, random: Random) -> tuple[bytes, str, int]:
        """A page, how to segment it, and a seed for what is made wrong."""
        return soup(random).encode("utf-8", "replace")[:3000], random.choice(list(RULES)), random.getrandbits(32)

    def attempt(self, case: tuple[bytes, str, int]) -> None:
        """Call all functions with something wrong in what they are given; in Python itself nothing could go wrong."""
        if not COMPILED:
            return
        data, segmentation, seed = case
        random = Random(seed)
        html = tidy_text(data.decode("utf-8", "replace"))
        for name, given in (*calls_on_bytes(html, random), *calls_on_page(html, segmentation)):
            for _ in range(3):
                wrong = tuple(_wrong(value, random) for value in given)
                outcome(KERNEL, (name, wrong), random.randrange(256))


def _wrong(value: Any, random: Random) -> Any:
    """Something else of the same type, more often than not."""
    if random.random() < 0.4:
        return value
    if isinstance(value, np.ndarray):
        return _wrong_array(value.copy(), random)
    if isinstance(value, bytes):
        return random.choice([b"", value[: random.randrange(len(value) + 1)], value[1:], value + b"\xff"])
    if type(value) is int:
        return random.choice([-1, 0, 1, value - 1, value + 1, -_FAR, _FAR])
    return value


def _wrong_array(array: Array, random: Random) -> Array:
    """An array with other numbers in it, fewer rows or columns, or none."""
    match random.randrange(6):
        case 0 | 1 | 2 if array.size:
            near = max(array.shape)
            for _ in range(random.choice([1, 1, 3, 20])):
                number = np.array(random.choice([-_FAR, -2, -1, 0, 1, near - 1, near, _FAR]))
                array.flat[random.randrange(array.size)] = number.astype(array.dtype)
        case 3:
            array = array[..., : random.randrange(array.shape[-1] + 1)]
        case 4:
            array = array[: random.randrange(array.shape[0] + 1)]
        case _:
            array = array[..., ::-1]
    return np.ascontiguousarray(array)
