"""Metadata of pages: fields, their sources, and which source is believed."""

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest

from gristmill import Document, clean
from gristmill.cleaning import markup as compiled_markup
from gristmill.cleaning.cleaner import clean_page
from gristmill.cleaning.markup import scan
from gristmill.cleaning.metadata import Metadata, complete
from gristmill.cleaning.segmentation import segment
from gristmill.cleaning.uncompiled import markup as uncompiled
from gristmill.columns import Coded
from gristmill.condition import Condition
from gristmill.corpus.attributes import DOC_ATTRIBUTES
from gristmill.corpus.formats.record import record
from gristmill.corpus.masking import masked
from gristmill.corpus.selecting import SelectedDocument
from gristmill.document import Page, from_arrow, to_arrow
from gristmill.kernel.elements import CODES

TEXT = "<p>The mill stood by the river for two hundred years, and nobody in the village knew who had built it.</p>" * 3


def page(head: str = "", top: str = "", title: str = "The old mill - The Daily Miller", lang: str = "en-GB") -> str:
    """A page of a newspaper, with something in its head and something below its headline."""
    return (
        f"<!doctype html><html lang={lang}><head><title>{title}</title>{head}</head><body><div><a href=/>Home</a></div>"
        f"<article><h1>The old mill</h1>{top}{TEXT}</article><div>About us</div></body></html>"
    )


def ld(*objects: Any) -> str:
    return "".join(f'<script type="application/ld+json">{json.dumps(one)}</script>' for one in objects)


def said(document: Document, *names: str) -> list[tuple[Any, str]]:
    return [(getattr(document, name), document.metadata_from.get(name, "")) for name in names]


ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "The old mill &amp; the river",
    "author": {"@type": "Person", "name": "Ann Miller"},
    "datePublished": "2015-03-21T08:00:00+0100",
    "dateModified": "2015-03-22",
    "publisher": {"@type": "Organization", "name": "The Daily Miller"},
    "articleSection": ["Villages", "Rivers"],
    "keywords": "mill, river",
    "license": "https://creativecommons.org/licenses/by/4.0/",
    "image": {"@type": "ImageObject", "url": "https://m.example/mill.jpg"},
    "description": "On a mill.",
    "commentCount": "17",
    "articleBody": "The mill stood by the river.",
}


def test_json_ld_tells_all_fields() -> None:
    found = clean(page(ld(ARTICLE)), "https://m.example/mill")
    assert said(found, "author", "published", "modified", "site_name", "description", "licence", "image") == [
        ("Ann Miller", "json-ld"),
        ("2015-03-21T08:00:00+01:00", "json-ld"),
        ("2015-03-22", "json-ld"),
        ("The Daily Miller", "json-ld"),
        ("On a mill.", "json-ld"),
        ("https://creativecommons.org/licenses/by/4.0/", "json-ld"),
        ("https://m.example/mill.jpg", "json-ld"),
    ]
    assert said(found, "categories", "keywords") == [
        (["Villages", "Rivers"], "json-ld"),
        (["mill", "river"], "json-ld"),
    ]
    assert said(found, "title", "headline", "declared_lang") == [
        ("The old mill - The Daily Miller", "title"),
        ("The old mill", "heading"),
        ("en-GB", "html"),
    ]


def test_json_ld_gives_hints_for_cleaning() -> None:
    found = segment(page(ld(ARTICLE))).metadata
    assert (found.headline, found.comment_count, found.body_length) == ("The old mill", 17, 28)
    without = segment(page(ld(ARTICLE)).replace("<h1>The old mill</h1>", "")).metadata
    assert without.headline == "The old mill & the river"


@pytest.mark.parametrize(
    ("author", "name"),
    [
        ("Ann Miller", "Ann Miller"),
        ("By Ann Miller", "Ann Miller"),
        ({"name": "Ann Miller"}, "Ann Miller"),
        ([{"@type": "Person", "name": "Ann Miller"}, {"@type": ["Person"], "name": "Bob"}], "Ann Miller; Bob"),
        ([{"name": "Ann Miller"}, {"name": "Ann Miller"}, None, 7, {}, []], "Ann Miller"),
        ({"name": ["Ann Miller", "Bob"]}, "Ann Miller; Bob"),
        ({"@type": "Organization", "name": "Mill Agency"}, "Mill Agency"),
        ("https://m.example/ann", ""),
        ("admin", ""),
        ("{{author}}", ""),
        (17, ""),
        (None, ""),
    ],
)
def test_authors_in_json_ld(author: Any, name: str) -> None:
    assert clean(page(ld({"@type": "BlogPosting", "author": author}))).author == name


def test_an_organisation_is_the_author_only_if_no_person_is_found() -> None:
    agency = ld({"@type": "Article", "author": {"@type": "Organization", "name": "Mill Agency"}})
    assert said(clean(page(agency, "<p>By Ann Miller</p>")), "author") == [("Ann Miller", "byline")]
    assert said(clean(page(agency)), "author") == [("Mill Agency", "json-ld")]
    site = '<meta name=author content="The Daily Miller">'
    assert clean(page(site, "<p>By Ann Miller</p>"), "https://dailymiller.example/").author == "Ann Miller"
    assert clean(page(site), "https://dailymiller.example/").author == "The Daily Miller"


def test_objects_are_found_in_graphs_and_by_reference() -> None:
    graph = {
        "@graph": [
            {"@type": "WebSite", "@id": "#site", "name": "The Daily Miller"},
            {"@type": "WebPage", "datePublished": "2014-01-01", "isPartOf": {"@id": "#site"}},
            {"@type": "Article", "author": {"@id": "#ann"}, "datePublished": "2015-03-21"},
            {"@type": "Person", "@id": "#ann", "name": "Ann Miller"},
        ]
    }
    found = clean(page(ld(graph)))
    assert (found.author, found.published, found.site_name) == ("Ann Miller", "2015-03-21", "The Daily Miller")
    inner = {"@type": "WebPage", "mainEntity": [[{"@type": "Article", "datePublished": "2015-03-21"}]]}
    assert clean(page(ld(inner))).published == "2015-03-21"


def test_of_several_articles_it_is_the_one_of_the_title() -> None:
    others = [{"@type": "Article", "headline": f"Other {number}", "datePublished": "2001-01-01"} for number in range(3)]
    own = {"@type": "Article", "headline": "The old mill", "datePublished": "2015-03-21"}
    assert clean(page(ld([*others, own]))).published == "2015-03-21"
    assert clean(page(ld(others))).published == ""


@pytest.mark.parametrize(
    "written",
    [
        '<!-- {"@type": "Article", "author": "Ann Miller"} -->',
        '//<![CDATA[\n{"@type": "Article", "author": "Ann Miller"}\n//]]>',
        '{"@type": "Article", "author": "Ann Miller"};',
        '{"@type": "Article", "author": "Ann Miller",}',
        '{"@type": "Article", "author": ["Ann Miller", ], }',
        '{"@type": "Article", "description": "a\nb\tc", "author": "Ann Miller"}',
        '{"@type": "WebSite"} {"@type": "Article", "author": "Ann Miller"}',
        '{"@type": "http://schema.org/Article", "author": "Ann Miller"} {"@type": ',
        '[{"@type": ["Article", "NewsArticle"], "author": "Ann Miller"}]',
    ],
)
def test_json_ld_that_is_often_broken_is_read(written: str) -> None:
    assert clean(page(f"<script type='application/ld+json'>{written}</script>")).author == "Ann Miller"


@pytest.mark.parametrize("written", ["", "{", "null", "[]", '"x"', "{'a': 1}", "undefined", '{"@type": "Article"'])
def test_json_ld_that_can_not_be_read_is_no_error(written: str) -> None:
    assert clean(page(f"<script type='application/ld+json'>{written}</script>")).author == ""


def test_names_of_tags_and_their_order() -> None:
    head = (
        '<meta property="article:published_time" content="2015-03-21T08:00Z">'
        '<meta name="DC.date.issued" content="2001">'
        '<meta name="DC.creator" content="By Ann Miller"><meta name="citation_author" content="Bob Baker">'
        '<meta name="citation_author" content="Cleo Cook"><meta property="og:site_name" content="The Daily Miller">'
        '<meta property="og:description" content="On &quot;mills&quot;">'
        '<meta property="article:section" content="Village">'
        '<meta property="article:tag" content="mill"><meta property="article:tag" content="river">'
        '<meta name="twitter:image" content="https://m.example/t.jpg">'
        '<meta property="og:url" content="https://m.example/">'
        '<meta name="dcterms.rights" content="All rights reserved">'
        '<meta property="og:updated_time" content="2015-03-23">'
    )
    found = clean(page(head))
    assert said(found, "author", "published", "modified", "site_name", "description") == [
        ("Bob Baker; Cleo Cook", "meta"),
        ("2015-03-21T08:00Z", "opengraph"),
        ("2015-03-23", "opengraph"),
        ("The Daily Miller", "opengraph"),
        ('On "mills"', "opengraph"),
    ]
    assert said(found, "categories", "keywords", "licence", "image", "canonical") == [
        (["Village"], "opengraph"),
        (["mill", "river"], "opengraph"),
        ("All rights reserved", "meta"),
        ("https://m.example/t.jpg", "meta"),
        ("https://m.example/", "opengraph"),
    ]


def test_keywords_are_items() -> None:
    assert clean(page('<meta name=keywords content="mill, river,, mill ,">')).keywords == ["mill", "river"]
    assert clean(page('<meta name=keywords content="mill; river">')).keywords == ["mill", "river"]


def test_microdata() -> None:
    top = (
        '<div itemprop="author" itemscope itemtype="http://schema.org/Person"><span>Staff</span>'
        '<a href=/ann><span itemprop="name">Ann Miller</span></a></div>'
        '<meta itemprop="datePublished" content="2015-03-21"><span itemprop="dateModified">22 March 2015</span>'
    )
    found = clean(page("", top))
    assert said(found, "author", "published", "modified") == [
        ("Ann Miller", "microdata"),
        ("2015-03-21", "meta"),
        ("2015-03-22", "microdata"),
    ]
    far = "".join(f"<p><i>{number}</i></p>" for number in range(60))
    found = clean(page("", f"{far}<i itemprop=author>Ann Miller</i><i itemprop=datePublished>2015-03-21</i>"))
    assert said(found, "author", "published") == [("Ann Miller", "microdata"), ("2015-03-21", "microdata")]


def test_authors_and_dates_of_comments_and_lists_are_not_those_of_the_page() -> None:
    far = "".join(f"<p><i>{number}</i></p>" for number in range(60))
    comment = (
        "<div itemprop=comment itemscope><i itemprop=author>Troll</i><i itemprop=datePublished>2016-01-01</i></div>"
    )
    found = clean(page("", far + comment))
    assert (found.author, found.published) == ("", "")
    times = "".join(f'<p><time datetime="2015-03-{day}">x</time></p>' for day in range(10, 20))
    assert clean(page("", far + times)).published == ""
    assert said(clean(page("", far + times[: len(times) // 10])), "published") == [("2015-03-10", "time")]


def test_links_with_a_relation() -> None:
    top = (
        '<p>In <a href=/v rel="category tag">Villages</a> by <a rel=author href=/ann>Ann <b>Miller</b></a>, '
        '<a href=/m rel=tag>mill</a> <a href=/n rel="nofollow tag">no<!-- c -->de</a> '
        '<a href=/privacy rel=license>Privacy</a><a rel="license noopener" href="https://cc.example/by/4.0/">CC</a></p>'
    )
    found = clean(page("", top))
    assert said(found, "categories", "keywords", "licence", "author") == [
        (["Villages"], "link"),
        (["mill", "no de"], "link"),
        ("https://cc.example/by/4.0/", "link"),
        ("Ann Miller", "link"),
    ]
    assert clean(page('<link rel=license href="https://cc.example/by/4.0/">')).licence == "https://cc.example/by/4.0/"


@pytest.mark.parametrize(
    ("top", "author", "published"),
    [
        ("<p>By Ann Miller | 21 March 2015</p>", "Ann Miller", "2015-03-21"),
        ("<p>By Ann Miller and Bob van der Baker, Staff Writer</p>", "Ann Miller; Bob van der Baker", ""),
        ("<p>Written by Ann O'Miller on March 21st, 2015 at 8:00</p>", "Ann O'Miller", "2015-03-21"),
        ("<p>Von Anna Müller</p><p>21. März 2015</p>", "Anna Müller", "2015-03-21"),
        ("<p>Par Anne Meunier, le 1er avril 2015</p>", "Anne Meunier", "2015-04-01"),
        ("<p>Автор: Анна Мельник, 21 марта 2015</p>", "Анна Мельник", "2015-03-21"),
        ("<p>记者：王小明 2015年3月21日</p>", "王小明", "2015-03-21"),
        ("<p class=post-author>Ann Miller</p><p class=entry-date>Sat, 21/03/2015</p>", "Ann Miller", "2015-03-21"),
        (
            "<p><span class=byline>Ann Miller</span> <time datetime=2015-03-21>today</time></p>",
            "Ann Miller",
            "2015-03-21",
        ),
        ("<p>By the river there is a mill.</p>", "", ""),
        ("<p>The mill was built by Ann Miller's grandfather in 1815, by hand.</p>", "", ""),
        ("<p class=comment-author>Troll Face</p>", "", ""),
        ("<p>03/04/2015</p>", "", "2015-04-03"),
    ],
)
def test_bylines(top: str, author: str, published: str) -> None:
    found = clean(page("", top))
    assert (found.author, found.published) == (author, published)


def test_blocks_that_are_bylines_by_their_role_are_read_anywhere() -> None:
    segmented = segment(f"<title>x</title>{TEXT}<p>By Ann Miller, 21 March 2015</p>")
    found = Metadata()
    complete(found, segmented.columns, "", "")
    assert (found.author, found.date) == ("", "")
    segmented.columns.role = Coded(["text", "byline"], np.array([0, 0, 0, 1], np.int32))
    complete(found, segmented.columns, "", "")
    assert (found.author, found.date) == ("Ann Miller", "2015-03-21")


def test_a_date_in_words_of_a_change_is_no_date_of_publication() -> None:
    found = clean(page("", "<p>Updated 22 March 2015</p>"))
    assert said(found, "published", "modified") == [("", ""), ("2015-03-22", "byline")]


def test_the_address_has_a_date() -> None:
    url = "https://m.example/2015/03/21/mill"
    assert said(clean(page(), url), "published") == [("2015-03-21", "address")]
    near = clean(page("", "<p>20 March 2015</p>"), url)
    assert said(near, "published") == [("2015-03-20", "byline")]
    far = clean(page("", "<p>Festival on 20 May 2015</p>"), url)
    assert said(far, "published") == [("2015-03-21", "address")]
    doubtful = clean(page('<meta name=date content="2019-01-01">'), url)
    assert said(doubtful, "published") == [("2015-03-21", "address")]
    assert said(clean(page('<meta name=date content="2019-01-01">')), "published") == [("2019-01-01", "meta")]
    ambiguous = clean(page("", "<p>03/04/2015</p>", lang="en"), "https://m.example/2015/03/04/mill")
    assert said(ambiguous, "published") == [("2015-03-04", "byline")]


def test_no_page_was_published_after_it_was_fetched() -> None:
    body = page(ld(ARTICLE), "<p>1 May 2016</p>").encode()
    found = clean_page(Page("https://m.example/", body, date="2014-01-01T00:00:00Z"))
    assert (found.published, found.modified) == ("", "")
    assert {"published", "modified"}.isdisjoint(found.metadata_from)
    assert clean_page(Page("https://m.example/", body, date="2015-03-20T00:00:00Z")).published


def test_the_site_is_the_part_of_the_title_that_the_host_has() -> None:
    assert said(clean(page(), "https://www.dailymiller.example/a"), "site_name") == [("The Daily Miller", "title")]
    assert said(clean(page(), "https://daily-miller.example/a"), "site_name") == [("The Daily Miller", "title")]
    assert clean(page(), "https://m.example/a").site_name == ""


def test_headlines() -> None:
    both = f"<title>The old mill | News</title><h1>The Daily Miller</h1><h1>The old mill</h1>{TEXT}"
    assert said(clean(both), "headline") == [("The old mill", "heading")]
    without = f"<title>Why the old mill stands :: News</title><p>Menu</p><p><b>Why the old mill stands</b></p>{TEXT}"
    assert said(clean(without), "headline") == [("Why the old mill stands", "heading")]
    assert said(clean(f"<title>A mill</title>{TEXT}"), "headline") == [("A mill", "title")]
    assert said(clean(TEXT), "headline") == [("", "")]


def test_tags_that_tell_something_are_found_with_and_without_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        b"<html><meta x><a rel=nofollow><a REL='x author'><a rel=tags><link rel=canonical><link rel=stylesheet>"
        b"<p ItemProp=a></p itemprop><time datetime=x><!-- <a rel=tag> --><a rel=license title='>'><a title='rel=tag'>"
        b"<script><a rel=tag></script><a rel='\ttag\n'><i itemproperty=x><i datetime>"
    )
    wanted = np.zeros(len(CODES) + 2, np.bool_)
    wanted[CODES["meta"]] = True
    expected = [
        b"<meta x>",
        b"<a REL='x author'>",
        b"<link rel=canonical>",
        b"<p ItemProp=a>",
        b"<time datetime=x>",
        b"<a rel=license title='>'>",
        b"<a rel='\ttag\n'>",
        b"<i datetime>",
    ]
    for found in (scan(source), uncompiled.scan(source)):
        assert [found.data[start:end] for _, _, start, end in found.telling_tags(wanted)] == expected
    whole = page(
        ld(ARTICLE), "<p>By Bob <a rel=tag>mill</a> <i itemprop=author>Ann</i> <i class=date>1 May 2015</i></p>"
    )
    first = segment(whole).metadata
    monkeypatch.setattr(compiled_markup, "COMPILED", False)
    assert segment(whole).metadata == first


def test_exports_and_conditions_have_it() -> None:
    document = clean(page(ld(ARTICLE)), "https://m.example/mill")
    attributes = {name: DOC_ATTRIBUTES[name](document) for name in ("site_name", "categories", "licence")}
    assert list(attributes.values()) == ["The Daily Miller", "Villages; Rivers", ARTICLE["license"]]
    assert Condition.parse('licence=".*creativecommons.*" & categories=".*Rivers"').holds(attributes.__getitem__)
    written = record(document)
    for name in ("headline", "modified", "site_name", "description", "categories", "keywords", "licence", "image"):
        assert written[name] == getattr(document, name)
        assert written[name]


def test_stored_documents_have_it() -> None:
    document = clean(page(ld(ARTICLE)), "https://m.example/mill")
    again = next(iter(from_arrow(to_arrow([document]))))
    for name in ("headline", "modified", "categories", "keywords", "metadata_from"):
        assert getattr(again, name) == getattr(document, name)


def test_personal_data_in_metadata_is_masked() -> None:
    head = (
        "<meta name=description content='Mail to ann@mill.example'>"
        "<meta name=keywords content='mill, ann@mill.example'>"
    )
    chosen = SelectedDocument(clean(page(head)), 0, [], [])
    chosen.document.blocks = []
    counts: Counter[str] = Counter()
    found = next(iter(masked([chosen], ["email"], counts))).document
    assert (found.description, found.keywords) == ("Mail to <EMAIL>", ["mill", "<EMAIL>"])
    assert counts == {"email": 2}
