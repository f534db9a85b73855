"""The kind of a page: one page of each kind, pages of few words, hostile ones, and pages without an address."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import gristmill
from gristmill.cleaning.cleaner import clean_page
from gristmill.cleaning.features import Features
from gristmill.cleaning.markup import scan
from gristmill.cleaning.methods import METHODS
from gristmill.cleaning.page_kind import (
    FEATURES,
    PAGE_KINDS,
    KindTrees,
    describe,
    is_root,
    kind_of,
    kind_probabilities,
    shipped,
)
from gristmill.cleaning.segmentation import segment, segment_text
from gristmill.cleaning.segmented import Segmented
from gristmill.cleaning.signs import DECLARED, read_signs
from gristmill.document import Page
from gristmill.errors import GristmillError, UsageError
from gristmill.evaluation.training import TRAINERS, page_kind
from gristmill.evaluation.training.page_kind import fit, judged_kinds

PARAGRAPH = (
    "The mill by the river has ground the grain of three villages since before anyone thought of writing it down, and"
    " in spring the water is so high that the great wheel turns by itself and the whole house trembles with it."
)
MENU = (
    "<nav><ul>" + "".join(f"<li><a href=/{word}>{word}</a>" for word in "Home News Mills About".split()) + "</ul></nav>"
)
FOOTER = "<footer><p><a href=/imprint>Imprint</a></footer>"


def page(title: str, main: str, head: str = "", body: str = "") -> str:
    """A page of a site: menu, main part, footer."""
    return f"<html><head><title>{title}</title>{head}</head><body {body}>{MENU}{main}{FOOTER}</body></html>"


ARTICLE = page(
    "The mill that would not stop | The Miller",
    '<article class="post"><header><h1>The mill that would not stop</h1><p class="byline">By A. Miller'
    f' <time datetime="2024-05-01">1 May</time></p></header>{f"<p>{PARAGRAPH}</p>" * 9}</article>',
    '<meta property="og:type" content="article">'
    '<meta property="article:published_time" content="2024-05-01">'
    '<script type="application/ld+json">{"@context": "https://schema.org", "@type": "NewsArticle"}</script>',
    'class="single single-post"',
)
FORUM = page(
    "How do I dress a millstone? - Millers' Forum",
    '<div id="topic">'
    + "".join(
        f'<div class="post" id="p{at}"><div class="postprofile"><a href=/u{at}>miller{at}</a><br>Posts: {at * 7}</div>'
        f'<p class="author">01 May 2024, 10:{at:02}</p><div class="postbody"><p>{PARAGRAPH[: 60 + 12 * at]}.</p></div>'
        f'<div class="signature">Stones since 19{at + 60}</div></div>'
        for at in range(9)
    )
    + '</div><form class="reply"><textarea></textarea></form>',
    '<meta name="generator" content="phpBB">',
    'id="phpbb" class="section-viewtopic"',
)
LISTING = page(
    "News about mills",
    '<h1>Category: Mills</h1><div class="archive">'
    + "".join(
        f'<article class="teaser"><h2><a href=/2024/{at}>Mill number {at} of the valley opens its doors</a></h2>'
        f"<p>The wheel of mill {at} turns again.</p><a href=/2024/{at}>Read more</a></article>"
        for at in range(24)
    )
    + '</div><div class="pagination"><a href=?page=2>2</a> <a href=?page=3>3</a></div>',
    '<meta property="og:type" content="website">',
    'class="archive category"',
)
PRODUCT = page(
    "Hand mill, beech - The Mill Shop",
    '<div class="product"><div class="gallery"><img src=a.jpg><img src=b.jpg></div><h1>Hand mill, beech</h1>'
    '<div class="price">€ 89.00</div><div class="sku">SKU 4711</div><form class="cart"><select name="variant">'
    "<option>Beech<option>Oak</select><input name=quantity><button>Add to cart</button></form>"
    '<div class="stock">In stock</div><div class="description"><p>A mill for the table, of beech, with a cone of steel.'
    "</p><ul><li>Height 21 cm<li>Weight 600 g</ul></div></div>"
    + "".join(
        f'<div class="related product"><a href=/product/{at}>Mill {at}</a><p class="price">€ {at}9.00</p></div>'
        for at in range(2, 6)
    ),
    '<meta property="og:type" content="product"><meta property="product:price:amount" content="89.00">'
    '<script type="application/ld+json">{"@type": "Product", "offers": {"@type": "Offer", "price": "89.00"}}</script>',
    'class="single-product woocommerce"',
)
DOCUMENTATION = page(
    "millstone.grind — Mill 2.1 documentation",
    '<div class="document"><div class="sphinxsidebar"><div class="toc"><ul><li><a href=a>Installation</a>'
    '<li><a href=b>Reference</a></ul></div></div><div class="body"><h1>millstone.grind</h1>'
    + "".join(
        f"<h2>grind_{at}(grain)</h2><p>Grinds the grain <code>{at}</code> times, and returns <code>Flour</code>.</p>"
        f'<div class="highlight"><pre>&gt;&gt;&gt; grind_{at}(rye)\nFlour({at})</pre></div>'
        f"<dl><dt><code>grain</code><dd>What is ground.</dl>"
        for at in range(8)
    )
    + "</div></div>",
    '<meta name="generator" content="Sphinx 7.2">',
)
HOME = page(
    "The Miller: mills, millers, flour",
    '<div class="hero"><h1>Welcome</h1><p>All about mills.</p></div><div class="features">'
    + "".join(
        f"<section><h2><a href=/{at}>Mills of the valley {at}</a></h2><p>See them all.</p></section>" for at in range(8)
    )
    + "</div>",
    '<meta property="og:type" content="website">'
    '<script type="application/ld+json">[{"@type": "WebSite"}, {"@type": "Organization"}]</script>',
    'class="home front-page"',
)
SERVICE = page(
    "Repair of mills | Stone & Sons",
    '<div class="hero"><h1>Repair of mills</h1><p>We come to you.</p><a class="cta" href=/contact>Get a quote</a></div>'
    '<div class="services">'
    + "".join(
        f'<div class="service"><h3>Wheel {at}</h3><p>We mend wheels of all sizes, on the day that you call.</p></div>'
        for at in range(4)
    )
    + '</div><div class="testimonials"><p>They came at once.</p></div><div class="faq accordion"><h3>How much?</h3>'
    '<p>Ask us.</p></div><form class="contact"><label>Name</label><input><label>Message</label><textarea></textarea>'
    "<button>Send</button></form>",
    '<meta property="og:type" content="website"><script type="application/ld+json">{"@type": "LocalBusiness"}</script>',
    'class="page page-template"',
)
PAGES = {
    "article": (ARTICLE, "https://miller.example/2024/05/the-mill-that-would-not-stop"),
    "forum": (FORUM, "https://forum.miller.example/viewtopic.php?t=12"),
    "listing": (LISTING, "https://miller.example/category/mills/"),
    "product": (PRODUCT, "https://miller.example/product/hand-mill-beech/"),
    "documentation": (DOCUMENTATION, "https://docs.miller.example/en/stable/reference/grind.html"),
    "home": (HOME, "https://miller.example/"),
    "other": (SERVICE, "https://stone.example/services/repair/"),
}


def test_all_kinds_are_tried() -> None:
    assert tuple(PAGES) == PAGE_KINDS


@pytest.mark.parametrize("kind", PAGE_KINDS)
def test_kind_with_address(kind: str) -> None:
    html, url = PAGES[kind]
    document = gristmill.clean(html, url=url)
    assert document.page_kind == kind
    assert 0.4 < document.page_kind_confidence <= 1


@pytest.mark.parametrize("kind", [kind for kind in PAGE_KINDS if kind != "home"])
def test_kind_without_address(kind: str) -> None:
    assert gristmill.clean(PAGES[kind][0]).page_kind == kind


def test_a_home_page_without_address_is_home_or_near_it() -> None:
    chances = dict(zip(PAGE_KINDS, kind_probabilities(segment(HOME)).tolist(), strict=True))
    assert sorted(chances, key=chances.__getitem__).index("home") >= 4
    assert chances["home"] > 5 * kind_probabilities(segment(ARTICLE))[PAGE_KINDS.index("home")]


@pytest.mark.parametrize("method", list(METHODS))
def test_whatever_the_method(method: str) -> None:
    html, url = PAGES["forum"]
    document = clean_page(Page(url, html.encode()), method=method)
    assert (document.page_kind, document.page_kind_confidence > 0.5) == ("forum", True)


def test_the_text_of_a_page_does_not_count() -> None:
    other = ARTICLE.replace(PARAGRAPH, PARAGRAPH.translate(str.maketrans("aeioumlt", "абвгдежз")))
    assert other != ARTICLE
    assert (describe(segment(other)) == describe(segment(ARTICLE)))[: FEATURES.index("page.length")].all()
    assert kind_of(segment(other))[0] == "article"


def test_probabilities() -> None:
    for html, url in PAGES.values():
        chances = kind_probabilities(Features(segment(html)), url)
        assert chances.dtype == np.float32
        assert chances.shape == (len(PAGE_KINDS),)
        assert chances.sum() == pytest.approx(1, abs=1e-5)
        assert chances.tobytes() == kind_probabilities(segment(html), url).tobytes()


def test_the_address_that_a_page_gives_for_itself() -> None:
    url = PAGES["forum"][1]
    html = FORUM.replace("</head>", f'<link rel="canonical" href="{url}"></head>')
    place = FEATURES.index("path.forum")
    assert describe(segment(html))[place] == describe(segment(FORUM), url)[place] == 1
    assert describe(segment(html), "pages/index.html")[place] == 1  # a file has no address on the web
    assert describe(segment(html), "https://miller.example/")[place] == 0
    assert describe(segment(html), with_address=False)[place] == 0


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://miller.example", True),
        ("https://miller.example/", True),
        ("https://miller.example/en/", True),
        ("https://miller.example/pt-BR", True),
        ("HTTP://MILLER.EXAMPLE/INDEX.HTML", True),
        ("https://miller.example/?p=12", False),
        ("https://miller.example/mills/", False),
        ("https://miller.example/mills/index.html", False),
        ("index.html", False),
        ("file:///index.html", False),
        ("", False),
    ],
)
def test_home_addresses(url: str, expected: bool) -> None:
    assert is_root(url) is expected


def test_features_of_an_address() -> None:
    values = dict(
        zip(FEATURES, describe(Segmented(), "https://forum.a.example/threads/a-b_c/2024/?q=x").tolist(), strict=True)
    )
    found = {name: value for name, value in values.items() if name.startswith(("path", "host", "address")) and value}
    assert found == {
        "path.forum": 1,
        "host.forum": 1,
        "address.known": 1,
        "address.depth": 3,
        "address.longest_number": 4,
        "address.year": 1,
        "address.query": 1,
        "address.search": 1,
    }


def test_declarations() -> None:
    html = (
        "<meta content='Article' property='og:type'><META NAME=generator CONTENT=WordPress>"
        '<script type="application/ld+json">{"@graph": [{"@type" : ["Product", "Thing"]}, {"@type":"Offer"},'
        '{"@type": "https://schema.org/Offer"}, {"@type": 5}, {"@type": </script>'
        '<script>{"@type": "Recipe"}</script><p>x<img><img></p>'
    )
    signs = read_signs(scan(html.encode()))
    declared = {DECLARED[place]: number for place, number in signs.declared.items()}
    assert declared == {
        "og.article": 1,
        "generator.blog": 1,
        "schema.product": 1,
        "schema.offer": 2,
    }
    values = describe(segment(html))
    assert values[FEATURES.index("tag.img")] == 2
    assert values[FEATURES.index("tag.p")] == 1
    assert read_signs(scan(b"<p>no JSON-LD <script>{'@type': 'Product'}</script>")).declared == {}


def test_names_are_counted_by_element() -> None:
    values = describe(segment('<body class="home"><div class="postBody post">a<p class=post>b<p class=post>c</div>'))
    assert values[FEATURES.index("name.post")] == 3
    assert values[FEATURES.index("name.body")] == 1
    assert values[FEATURES.index("body.home")] == 1


def test_numbers_of_a_page() -> None:
    long = " ".join(["word"] * 20) + "."
    html = (
        f"<h1>Mills</h1><p>{long}<p>{long}<p>$ 5<p>12 €<p>2024</p><p><a>one two three four</a></p>"
        "<ul>" + "<li><p>one two three<p>four five <a>six</a></li>" * 4 + "</ul>"
    )
    values = dict(zip(FEATURES, describe(segment(html)).tolist(), strict=True))
    found = {name.removeprefix("page."): value for name, value in values.items() if name.startswith("page.")}
    assert (found["blocks"], found["words"]) == (15, 40 + 1 + 2 + 2 + 1 + 4 + 24)
    assert (found["headings"], found["teasers"], found["prices"]) == (1, 1, 2)
    assert (found["long_blocks"], found["longest"], found["run_long_blocks"]) == (2, 20, 2)
    assert found["digits"] == pytest.approx(1 / 15)
    assert found["sentences"] == pytest.approx(2 / 15)
    assert found["run_share"] == pytest.approx(40 / 74)
    for group in ("group", "largest"):
        assert found[f"{group}_items"] == 4
        assert found[f"{group}_item_words"] == 6
        assert found[f"{group}_share"] == pytest.approx(24 / 74)
        assert found[f"{group}_link_density"] == pytest.approx(1 / 6)


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<",
        "<p>",
        "x",
        "\0",
        "<div>" * 5000,
        "<div class=post>x" * 3000,
        "<meta property=og:type content=article>" * 5000,
        "<meta property=og:type content='",
        "<script type=application/ld+json>" + '"@type":' * 5000,
        "<script type=application/ld+json>" + '{"@type":"Product"}' * 5000 + "</script>x",
        "<p class='" + "post " * 5000 + "'>x",
        "<p>$€£¥₹。" * 100,
        "<p>€\udcff",
    ],
)
@pytest.mark.parametrize(
    "url", ["", "https://", "//[", "https://a.example/" + "a/" * 5000, "\udcff", "https://x/?" + "&q=" * 999]
)
def test_hostile_pages(html: str, url: str) -> None:
    document = gristmill.clean(html, url=url)
    assert document.page_kind in PAGE_KINDS
    assert 0 < document.page_kind_confidence <= 1


def test_plain_text_has_a_kind() -> None:
    text = "\n".join([PARAGRAPH] * 12)
    assert kind_of(segment_text(text))[0] == "article"
    assert (
        clean_page(Page("https://a.example/2024/05/01/a-long-story", text.encode(), is_text=True)).page_kind
        == "article"
    )


def test_the_same_without_the_compiled_kernel() -> None:
    pages = list(PAGES.values())
    code = (
        "import json, sys, gristmill\n"
        "from gristmill.kernel import COMPILED\n"
        "assert not COMPILED\n"
        "found = [gristmill.clean(html, url=url) for html, url in json.load(sys.stdin)]\n"
        "print(json.dumps([[one.page_kind, one.page_kind_confidence] for one in found]))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(pages),
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"GRISTMILL_KERNEL": "python"},
    )
    expected = [gristmill.clean(html, url=url) for html, url in pages]
    assert json.loads(run.stdout) == [[one.page_kind, one.page_kind_confidence] for one in expected]


def test_training(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = replace(page_kind.SETTINGS, trees=60, rate=0.3)  # enough for pages that are so easy to tell apart
    monkeypatch.setattr(page_kind, "fit", lambda examples, seed, *_: fit(examples, seed, quick))
    types = {"article": "article", "forum": "forum", "listing": "listing", "product": "product"}
    rows = [
        {
            "id": f"{kind}{at}",
            "lang": "en",
            "url": PAGES[kind][1].replace("miller", f"miller{at}"),
            "split": split,
            "html": PAGES[kind][0].encode(),
            "gold": "x",
        }
        for at in range(5)
        for kind, split in types.items()
    ]
    for name in {"wcxb-a", *judged_kinds()}:
        pq.write_table(pa.Table.from_pylist(rows if name == "wcxb-a" else rows[:1]), tmp_path / f"{name}.parquet")
    model = TRAINERS["page-kind"]([], tmp_path, 0)
    again = TRAINERS["page-kind"]([], tmp_path, 0)
    assert all((model.arrays[name] == again.arrays[name]).all() for name in model.arrays)
    with pytest.raises(UsageError, match="name their folder with --gold"):
        TRAINERS["page-kind"]([], None, 0)
    assert model.card["cross_validation"]["with address"]["right"] == 1
    trees = KindTrees.of(model.arrays)
    for kind in types:
        html, url = PAGES[kind]
        assert PAGE_KINDS[int(trees.probabilities(describe(segment(html), url)).argmax())] == kind


def test_a_model_of_other_features_is_refused() -> None:
    arrays = shipped().arrays()
    arrays["features"] = arrays["features"][:-3]
    with pytest.raises(GristmillError, match="page-kind does not fit"):
        KindTrees.of(arrays)
