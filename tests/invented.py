"""A language that is invented for tests of taggers: endings tell tags, features and lemmas, but for one word.

Le vela kunan mira no toras .      the old dogs, Kunan-like words in `a` and `an` are nouns; `o` adjectives
ben toras                          `ben` is an auxiliary before a verb,
le ben toras                       and a noun behind `le`
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from gristmill.annotation.tagging.treebank import Sentence, Token

_ONSETS, _VOWELS, _CODAS = "k t p s m r l v d".split(), "a e i o u".split(), "n r l s t k m".split()
_FIRST, _SECOND = "Number=Sing", "Number=Plur"


def stems(random: Random, number: int) -> list[str]:
    """Make different stems of two syllables."""
    found: dict[str, None] = {}
    while len(found) < number:
        parts = [random.choice(letters) for letters in (_ONSETS, _VOWELS, _CODAS, _VOWELS, _CODAS)]
        found["".join(parts)] = None
    return list(found)


def noun(stem: str, plural: bool) -> Token:
    """A noun: `kuna`, `kunan`."""
    return Token(f"{stem}an" if plural else f"{stem}a", "NOUN", f"{stem}a", "N", _SECOND if plural else _FIRST)


def verb(stem: str, past: bool) -> Token:
    """A verb: `torus` now, `torux` then, and `tori` as a lemma."""
    return Token(f"{stem}{'ux' if past else 'us'}", "VERB", f"{stem}i", "V", f"Tense={'Past' if past else 'Pres'}")


def adjective(stem: str) -> Token:
    """An adjective: `velo`."""
    return Token(f"{stem}o", "ADJ", f"{stem}o", "A")


THE = Token("le", "DET", "le", "D")
BEN_NOUN, BEN_AUX = Token("ben", "NOUN", "ben", "N", _FIRST), Token("ben", "AUX", "bi", "X")
STOP = Token(".", "PUNCT", ".", "P")


def sentences(number: int, seed: int = 0, size: int = 60) -> list[Sentence]:
    """Make sentences of the language, with so many stems of each kind."""
    random = Random(seed)
    every = stems(random, 3 * size)
    return [sentence(random, every) for _ in range(number)]


def sentence(random: Random, every: list[str]) -> Sentence:
    """Make a sentence; a third of the stems are of each kind."""
    size = len(every) // 3
    nouns, verbs, adjectives = every[:size], every[size : 2 * size], every[2 * size :]
    subject = BEN_NOUN if random.random() < 0.25 else noun(random.choice(nouns), random.random() < 0.4)
    words = [THE, *([adjective(random.choice(adjectives))] if random.random() < 0.4 else []), subject]
    words += [BEN_AUX] if random.random() < 0.3 else []
    words.append(verb(random.choice(verbs), random.random() < 0.4))
    if random.random() < 0.5:
        words += [THE, noun(random.choice(nouns), random.random() < 0.4)]
    first = words[0]
    words[0] = Token(first.word.capitalize(), first.tag, first.lemma, first.xpos, first.feats)
    return Sentence([*words, STOP], [], "invented")


def write_conllu(path: Path, made: list[Sentence]) -> Path:
    """Write sentences as CoNLL-U."""
    path.write_text("\n".join(map(to_conllu, made)), "utf-8")
    return path


def to_conllu(made: Sentence) -> str:
    """Write one sentence."""
    return "".join("\t".join(_columns(at, token)) + "\n" for at, token in enumerate(made.words, 1))


def _columns(at: int, token: Token) -> list[str]:
    relation = [str(at + token.head if token.head else 0), token.deprel] if token.deprel else ["_", "_"]
    return [str(at), token.word, token.lemma, token.tag, token.xpos or "_", token.feats or "_", *relation, "_", "_"]


def with_tree(made: Sentence) -> Sentence:
    """Give a sentence its tree: all nouns hang on the verb, what is before a noun on the noun."""
    words = made.words
    verb_at = next(at for at, token in enumerate(words) if token.tag == "VERB")
    found = []
    for at, token in enumerate(words):
        head, deprel = verb_at, {"AUX": "aux", "PUNCT": "punct", "VERB": "root"}.get(token.tag, "")
        if token.tag == "NOUN":
            deprel = "nsubj" if at < verb_at else "obj"
        elif not deprel:
            head = next(place for place in range(at, len(words)) if words[place].tag == "NOUN")
            deprel = {"DET": "det", "ADJ": "amod"}[token.tag]
        found.append(replace(token, head=head - at, deprel=deprel))
    return replace(made, words=found)
