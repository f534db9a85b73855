"""A web of pages on topics, in languages that share technical words, for measuring what is found by words.

There are pages on a topic, pages that mention some of its words by chance, long pages on everything, and pages on
nothing, each in Czech, Slovak or English. On which topic a page is, is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from random import Random

from localweb import prose, template
from localweb.answer import Answer, not_found
from localweb.vocabularies import WORDS, forms_of

TOPICS = tuple(WORDS)
LANGUAGES = ("cs", "sk", "en")

ON_TOPIC, BY_CHANCE, LONG, GENERAL = "topic", "chance", "long", "general"
# Pages of each kind at scale 1, by language; those on a topic and by chance for each topic.
_PAGES = {
    ON_TOPIC: {"cs": 60, "sk": 60, "en": 40},
    BY_CHANCE: {"cs": 40, "sk": 20, "en": 10},
    LONG: {"cs": 24, "sk": 8, "en": 4},
    GENERAL: {"cs": 120, "sk": 40, "en": 20},
}
_WORDS = {ON_TOPIC: (180, 900), BY_CHANCE: (250, 1_100), LONG: (4_000, 17_000), GENERAL: (150, 900)}
_PAGES_PER_HOST = 7
_SHARES = (0.05, 0.18)  # of words of the topic among all words of a page on it, the least and the most
_OWN_WORDS = (8, 18)  # of all words of the topic that such a page has
_CHANCE_WORDS = (3, 6)  # that a page mentions which is not on the topic
_SECTION_WORDS = 400  # of a long page; each section is on another topic, or on none


@dataclass(frozen=True, slots=True)
class TopicPage:
    """A page, and what is true of it."""

    number: int
    host: str
    kind: str
    lang: str
    topic: str
    """The topic that it is on; for a page that mentions words by chance, their topic; otherwise empty."""

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://{self.host}/{self.lang}/{self.number}.html"


class TopicWeb:
    """A web of some 1,000 pages at scale 1, made from a seed."""

    def __init__(self, seed: int = 1, scale: float = 1.0) -> None:
        self.seed = seed
        self.scale = scale

    @property
    def spec(self) -> str:
        """Its kind and numbers, from which it can be made again in another process."""
        return f"topics,{self.seed},{self.scale}"

    @cached_property
    def pages(self) -> dict[str, TopicPage]:
        """All pages by their addresses; hosts have pages of all kinds."""
        planned = [
            (kind, lang, topic)
            for kind, counts in _PAGES.items()
            for topic in (TOPICS if kind in {ON_TOPIC, BY_CHANCE} else ("",))
            for lang, count in counts.items()
            for _ in range(max(1, round(count * self.scale)))
        ]
        Random(f"{self.seed}/order").shuffle(planned)
        made = [
            TopicPage(number, f"temata-{number // _PAGES_PER_HOST:03}.cz", kind, lang, topic)
            for number, (kind, lang, topic) in enumerate(planned)
        ]
        return {page.url: page for page in made}

    def on_topic(self, topic: str, lang: str) -> set[str]:
        """The addresses of all pages on a topic in a language."""
        return {
            url for url, page in self.pages.items() if (page.kind, page.topic, page.lang) == (ON_TOPIC, topic, lang)
        }

    def sample(self, topic: str, lang: str, count: int) -> list[str]:
        """Texts on a topic that are on no page."""
        return ["\n".join(self._text(ON_TOPIC, lang, topic, f"sample/{at}")) for at in range(count)]

    def text(self, page: TopicPage) -> tuple[str, ...]:
        """The paragraphs of a page."""
        return self._text(page.kind, page.lang, page.topic, str(page.number))

    @cached_property
    def hosts(self) -> dict[str, str]:
        """The IP address of every host: each has its own."""
        names = dict.fromkeys(page.host for page in self.pages.values())
        return {name: f"127.0.{at // 200 + 1}.{at % 200 + 1}" for at, name in enumerate(names)}

    @property
    def names(self) -> dict[str, str]:
        """The IP address of every name."""
        return self.hosts

    @property
    def faulty_tls(self) -> dict[str, str]:
        """No host has a bad certificate."""
        return {}

    def answer(self, host: str, target: str, scheme: str, port: str = "") -> Answer | None:
        """The page at an address."""
        del scheme, port
        if host not in self.hosts:
            return None
        page = self.pages.get(f"http://{host}{target}")
        if page is None:
            return not_found()
        random = Random(f"{self.seed}/{page.number}/around")
        title, text = prose.title(random, page.lang), self.text(page)
        menu = template.Anchors(f"http://{host}").ul(
            [(f"/{page.lang}/{random.randrange(1_000)}.html", prose.label(random, page.lang)) for _ in range(12)]
        )
        body = f"<nav>{menu}</nav>\n<main>\n{template.prose(title, text)}</main>\n<footer><p>© 2026</p></footer>\n"
        html = template.document(lang=page.lang, title=title, head="", body=body)
        return Answer(html.encode(), kind=page.kind, lang=page.lang, text=(title, *text))

    def _text(self, kind: str, lang: str, topic: str, name: str) -> tuple[str, ...]:
        random = Random(f"{self.seed}/{kind}/{lang}/{topic}/{name}")
        words = random.randint(*_WORDS[kind])
        if kind == ON_TOPIC:
            return _mixed(random, lang, topic, words)
        if kind == BY_CHANCE:
            return _mentioning(random, lang, topic, words)
        if kind == LONG:
            sections = [random.choice((*TOPICS, "")) for _ in range(words // _SECTION_WORDS)]
            return tuple(
                paragraph for section in sections for paragraph in _mixed(random, lang, section, _SECTION_WORDS)
            )
        return prose.paragraphs(random, lang, words)


def _mixed(random: Random, lang: str, topic: str, words: int) -> tuple[str, ...]:
    """Paragraphs in which some words are of the topic, each in one of its forms; general ones without a topic."""
    text = prose.paragraphs(random, lang, words)
    if not topic:
        return text
    own = _drawn(random, lang, topic, random.randint(*_OWN_WORDS))
    weights = list(accumulate(1 / rank for rank in range(1, len(own) + 1)))
    share = random.uniform(*_SHARES)
    return tuple(
        " ".join(
            _inflected(random, random.choices(own, cum_weights=weights)[0], word) if random.random() < share else word
            for word in paragraph.split()
        )
        for paragraph in text
    )


def _mentioning(random: Random, lang: str, topic: str, words: int) -> tuple[str, ...]:
    """Paragraphs on nothing, with a few words of the topic, each once."""
    text = [paragraph.split() for paragraph in prose.paragraphs(random, lang, words)]
    for forms in _drawn(random, lang, topic, random.randint(*_CHANCE_WORDS)):
        paragraph = random.choice(text)
        at = random.randrange(len(paragraph))
        paragraph[at] = _inflected(random, forms, paragraph[at])
    return tuple(" ".join(paragraph) for paragraph in text)


def _drawn(random: Random, lang: str, topic: str, count: int) -> list[tuple[str, ...]]:
    return random.sample(forms_of(topic, lang), count)


def _inflected(random: Random, forms: tuple[str, ...], before: str) -> str:
    """A form of a word, mostly the base form, with the marks and the case of what it replaces."""
    form = random.choice((forms[0], *forms))
    ending = before[len(before.rstrip(".,!?")) :]
    return (form.capitalize() if before[:1].isupper() else form) + ending
