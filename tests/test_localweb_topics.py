"""The web of pages on topics: what is said of its pages is true of them."""

from __future__ import annotations

from collections import Counter
from urllib.parse import urlsplit

import pytest
from localweb import TopicWeb
from localweb.topics import BY_CHANCE, LANGUAGES, LONG, ON_TOPIC, TOPICS
from localweb.vocabularies import forms_of

from gristmill import clean, identify


@pytest.fixture(scope="module")
def web() -> TopicWeb:
    return TopicWeb(3, 0.05)


def test_each_topic_has_pages_of_all_kinds(web: TopicWeb) -> None:
    kinds = Counter((page.kind, page.topic, page.lang) for page in web.pages.values())
    for topic in TOPICS:
        for lang in LANGUAGES:
            assert kinds[ON_TOPIC, topic, lang] == len(web.on_topic(topic, lang)) > 0
            assert kinds[BY_CHANCE, topic, lang] > 0
    assert kinds[LONG, "", "cs"] > 0


def test_pages_are_what_they_are_said_to_be(web: TopicWeb) -> None:
    again = TopicWeb(3, 0.05)
    for page in web.pages.values():
        answer = again.answer(page.host, urlsplit(page.url).path, "http")
        assert answer is not None
        assert answer.text[1:] == web.text(page)
        own = {form for forms in forms_of(page.topic, page.lang) for form in forms} if page.topic else set()
        mentioned = [word for word in " ".join(answer.text[1:]).lower().split() if word.strip(".,!?") in own]
        if page.kind == ON_TOPIC:
            assert len(mentioned) > 0.03 * answer.words
        elif page.kind == BY_CHANCE:
            assert len(mentioned) >= 3
        else:
            assert (answer.words > 3_000) == (page.kind == LONG)


def test_pages_are_cleaned_and_identified_like_others(web: TopicWeb) -> None:
    page = next(page for page in web.pages.values() if page.kind == ON_TOPIC and page.lang == "cs")
    answer = web.answer(page.host, urlsplit(page.url).path, "http")
    assert answer is not None
    document = clean(answer.body.decode())
    assert identify(document.text).lang == "cs"
    assert set(web.text(page)) <= {block.text for block in document.blocks if block.score < 0.5}


def test_samples_are_on_no_page(web: TopicWeb) -> None:
    texts = web.sample("geology", "cs", 3)
    assert len(set(texts)) == 3
    assert not {"\n".join(web.text(page)) for page in web.pages.values()} & set(texts)
    assert web.answer("temata-000.cz", "/nothing", "http").status == 404  # type: ignore[union-attr]
    assert web.answer("example.org", "/", "http") is None


def test_languages_share_words() -> None:
    for topic in TOPICS:
        czech, slovak, english = (
            {form for forms in forms_of(topic, lang) for form in forms} for lang in ("cs", "sk", "en")
        )
        assert len(czech & slovak) >= 10
        assert czech & english
