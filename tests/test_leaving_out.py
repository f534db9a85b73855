"""Measuring on pages from elsewhere: what is held out is not trained on, and guidelines are not learned."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass

import numpy as np
import pytest

from gristmill.arrays.dtypes import Floats
from gristmill.columns import Int32
from gristmill.evaluation.gold import GoldPage
from gristmill.evaluation.metrics import by_bag
from gristmill.evaluation.training.bags import Bag
from gristmill.evaluation.training.guidelines import counted_blocks, shares_of_roles
from gristmill.evaluation.training.learned_words import learn_names, learn_phrases, phrase_shares
from gristmill.evaluation.training.leaving_out import (
    Odds,
    choose_roles,
    cross_validate,
    leave_out_sets,
    own_roles,
    splits_by_language,
    splits_by_set,
    splits_by_site,
    with_own_roles,
    with_roles,
)
from gristmill.evaluation.training.mill import Example, read_examples
from gristmill.roles import ROLES

SENTENCES = [
    "The mill by the river has ground the grain of three villages since before anyone thought of writing it down.",
    "In spring the water is high, and the great wheel turns so fast that the whole house trembles with it.",
    "When the harvest is over, carts stand along the road, and those who wait tell each other what is new.",
    "His daughter keeps the books now; she knows by heart how much each of the farmers brought in every year.",
]
MENU = ["Home", "Contact Us", "Log In", "Site Map", "Privacy Policy", "Next Page"]
GOODS = "flour rye wheat barley oats bran semolina spelt".split()
ALL_SETS = ("first", "second", "odd")


def article(number: int) -> list[str]:
    return [SENTENCES[(number + at) % 4] for at in range(3)]


def offers(number: int) -> list[str]:
    return [f"{GOODS[(number + at) % 8]} {number + at} kg" for at in range(6)]


def gold_page(gold_set: str, number: int) -> GoldPage:
    """A page with an article and offers; in the set `odd` the text is the offers."""
    menu = "".join(f'<li><a href="/{at}">{item}</a></li>' for at, item in enumerate(MENU))
    body = "".join(f"<p>{sentence}</p>" for sentence in article(number))
    cells = "".join(f"<div class=offer>{offer}</div>" for offer in offers(number))
    html = f"<html lang=en><body><ul>{menu}</ul><div>{body}</div><section>{cells}</section></body></html>"
    gold = offers(number) if gold_set == "odd" else article(number)
    lang = "el" if number % 3 == 0 else "en"
    url = f"http://{gold_set}{number // 2}.example/{number}"
    return GoldPage(gold_set, str(number), html.encode(), "\n".join(gold), lang, url)


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    pages = [gold_page(name, number) for name in ALL_SETS for number in range(6)]
    return list(read_examples(pages).values())


def f1(scored: Odds) -> dict[str, float]:
    return {
        name: float(np.mean([found[2] for found in results])) for name, results in with_roles(scored, ROLES).items()
    }


def test_what_a_set_teaches_is_unknown_to_the_model_that_is_tested_on_it(examples: list[Example]) -> None:
    scored = leave_out_sets(examples, ALL_SETS, 0)
    assert sorted(id(example) for example, _ in scored) == sorted(map(id, examples))
    assert f1(scored)["odd"] < 0.1  # the other sets say the opposite
    alone = [example for example in examples if example.gold_set == "odd"]
    assert f1(cross_validate(alone, ALL_SETS, 0, 3))["odd"] > 0.9


def test_a_set_that_is_not_trained_on_changes_no_model(examples: list[Example]) -> None:
    scored = leave_out_sets(examples, ("first", "second"), 0)
    assert min(f1(scored)[name] for name in ("first", "second")) > 0.9
    assert f1(scored)["odd"] < 0.1
    without = [example for example in examples if example.gold_set != "odd"]
    for (one, odds), (other, same) in zip(scored, leave_out_sets(without, ("first", "second"), 0), strict=False):
        assert one is other
        assert (odds == same).all()


def test_sets_are_left_out(examples: list[Example]) -> None:
    splits = splits_by_set(examples, ("first", "second"))
    found = [
        (sorted({example.gold_set for example in seen}), {example.gold_set for example in held_out})
        for seen, held_out in splits
    ]
    assert found == [(["second"], {"first"}), (["first"], {"second"}), (["first", "second"], {"odd"})]
    assert [(len(seen), len(held_out)) for seen, held_out in splits] == [(6, 6), (6, 6), (12, 6)]
    assert len(splits_by_set(examples[:6], ("first", "second"))) == 1


def test_languages_are_left_out_of_all_sets(examples: list[Example]) -> None:
    splits = splits_by_language(examples, "first", ("first", "second"))
    assert [{example.gold.lang for example in held_out} for _, held_out in splits] == [{"el"}, {"en"}]
    for seen, held_out in splits:
        assert {example.gold_set for example in held_out} == {"first"}
        assert {example.gold_set for example in seen} == {"first", "second"}
        assert not {example.gold.lang for example in seen} & {example.gold.lang for example in held_out}
    assert sum(len(held_out) for _, held_out in splits) == 6


def test_sites_are_left_out(examples: list[Example]) -> None:
    splits = splits_by_site(examples, ("first", "odd"), 0, 3)
    assert sorted(id(example) for _, held_out in splits for example in held_out) == sorted(map(id, examples))
    for seen, held_out in splits:
        assert {example.gold_set for example in seen} == {"first", "odd"}
        assert not {example.site for example in seen} & {example.site for example in held_out}


def half_of(page: str) -> int:
    return zlib.crc32(page.encode()) % 2


def two_guidelines() -> Odds:
    """Pages of which one half has the headline in the gold text, and the other has not; all blocks are kept."""
    pages = []
    for number in range(12):
        title = f"What the miller of village number {number} has seen"
        body = "".join(f"<p>{sentence}</p>" for sentence in article(number))
        html = f"<html><head><title>{title}</title></head><body><h1>{title}</h1>{body}</body></html>"
        gold = article(number) if half_of(str(number)) == 0 else [title, *article(number)]
        pages.append(GoldPage("mixed", str(number), html.encode(), "\n".join(gold)))
    examples = list(read_examples(pages).values())
    assert {half_of(example.gold.id) for example in examples} == {0, 1}
    return [(example, np.ones(len(example.roles))) for example in examples]


def test_roles_are_chosen_on_the_other_half() -> None:
    scored = two_guidelines()
    (first, used_for_first), (second, used_for_second) = own_roles(scored)
    assert (first, second) == (("title",), ())
    assert {half_of(example.gold.id) for example, _ in used_for_first} == {1}
    assert {half_of(example.gold.id) for example, _ in used_for_second} == {0}
    results, choices = with_own_roles(scored)
    assert choices == {"mixed": [("title",), ()]}
    assert len(results["mixed"]) == 12
    assert max(f1 for _, _, f1 in results["mixed"]) < 1  # each half has the other one's guideline
    same_half = [item for item in scored if half_of(item[0].gold.id) == 0]
    assert with_roles(same_half, [role for role in ROLES if role != "title"])["mixed"][0] == (1.0, 1.0, 1.0)


def test_only_blocks_above_the_threshold_with_a_wanted_role_are_kept() -> None:
    example, odds = two_guidelines()[0]
    odds[-1] = -0.1
    texts = ["\n".join(article(0)[:2]), example.gold.gold]
    assert with_roles([(example, odds)], ["text"])["mixed"] == [pytest.approx(by_bag(*texts))]
    assert choose_roles([]) == ()


@dataclass
class Labelled:
    gold_set: str
    roles: Int32
    words: Floats
    shares: Floats


def labelled(gold_set: str, **blocks: tuple[float, float]) -> Labelled:
    """A page with a block of each role: its words, and the share of them in the gold text."""
    words, shares = np.array(list(blocks.values())).T
    return Labelled(gold_set, np.array([ROLES.index(role) for role in blocks], np.int32), words, shares)


def test_shares_of_roles_are_means_over_pages() -> None:
    pages = [
        labelled("a", text=(100, 1.0), comment=(900, 0.0)),
        labelled("a", text=(10, 0.4), comment=(30, 0.6), title=(3, 1.0)),
        labelled("b", text=(5, 0.5)),
    ]
    assert shares_of_roles(pages) == {"a": {"title": 1.0, "text": 0.5, "comment": 0.5}, "b": {"text": 1.0}}


def test_blocks_that_only_a_guideline_decides_on_teach_nothing() -> None:
    roles = np.array([ROLES.index(role) for role in ("title", "text", "caption", "comment", "teaser", "byline")])
    shares = {"title": 0.9, "text": 0.2, "caption": 0.1, "comment": 0.5, "teaser": 0.0}
    counted = counted_blocks(roles.astype(np.int32), shares)
    # Text that is mostly not in the gold text, and teasers, are what there is to learn; of bylines nothing is known.
    assert counted.tolist() == [True, True, False, True, True, False]


def test_guidelines_are_known_from_all_pages_of_a_set() -> None:
    html = "<title>Of mills</title><h1>Of mills</h1>" + "".join(f"<p>{text}</p>" for text in SENTENCES)
    title = [GoldPage(name, name, html.encode(), f"{start}{' '.join(SENTENCES)}") for name, start in
             (("with", "Of mills "), ("without", ""))]  # fmt: skip
    found = {example.gold_set: example.counted.tolist() for example in read_examples(title).values()}
    assert found == {"with": [True] * 5, "without": [False] + [True] * 4}


def test_a_bag_counts_each_word_as_often_as_it_is_wanted() -> None:
    bag = Bag.of(["the mill", "the the wheel", "unwanted"], "The mill. The river!")
    assert bag.gold_words == 4
    assert bag.scores(np.array([True, True, False])) == pytest.approx((3 / 5, 3 / 4, 2 / 3))
    assert bag.scores(np.array([False, False, True])) == (0.0, 0.0, 0.0)
    assert Bag.of(["mill"], "river").scores(np.array([True])) == (0.0, 0.0, 0.0)


def test_names_are_learned_from_sites_not_from_pages() -> None:
    pages = [(f"site{at}", {"body": 1.0, "menu": 0.0}) for at in range(6)]
    pages += [("site0", {"menu": 1.0, "rare": 1.0})] * 100
    names = learn_names(pages)
    assert set(names) == {"body", "menu"}  # rare is on one site
    assert names["menu"] < 0 < names["body"]
    # On the first site the menu is text on 100 of 101 pages, which is one site of six.
    usual = (6 + 100 / 101) / 12
    menu = (100 / 101 + 2 * usual) / (6 - 100 / 101 + 2 * (1 - usual))
    assert names["menu"] == pytest.approx(math.log(menu) - math.log(usual / (1 - usual)))
    assert learn_names([("site", {"body": 1.0})]) == {}


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_names_that_all_have_the_same_say_nothing(share: float) -> None:
    assert learn_names([(f"site{at}", {"body": share}) for at in range(6)]) == {}


def test_phrases_of_blocks_that_count_are_learned() -> None:
    phrases, starts = np.array([7, 8, 7, 9], np.uint32), np.array([0, 2, 3, 4], np.int32)
    keys, shares = phrase_shares(phrases, starts, np.array([1.0, 0.5, 0.0]), np.array([True, True, False]))
    assert keys.tolist() == [7, 8]
    assert shares.tolist() == [0.75, 1.0]
    found = learn_phrases((f"site{at}", (keys, shares)) for at in range(6))
    assert found.keys.tolist() == [7, 8]
    assert found.values[0] < 0 < found.values[1]
    assert len(learn_phrases((f"site{at}", (keys, shares)) for at in range(5)).keys) == 0
    assert len(learn_phrases([("site", (keys, shares))] * 6).keys) == 0
