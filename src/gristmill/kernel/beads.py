# cython: boundscheck=False
"""Find the best alignment of two texts, sentence by sentence, within a band of the table of all pairs of sentences.

    a bead      sentences of the source that are translated by some of the target: 1-1, 2-1, 1-2...; a gap is 1-0 or 0-1
    a cell      (i, j): i sentences of the source and j of the target are aligned; row i has the cells of `lows[i]` to
                `highs[i]`, both included
    a hit       a word of the source sentence and a word of the target sentence that may be translations of each other

The score of a bead is what its kind is worth, its lengths, its borders of blocks, and its words. Each word of one side
adds the weight of its best hit on the other side, less what a hit by chance in a text of that length is worth, or
nothing; `source_bases` and `target_bases` have what a sentence loses if no word of it has a hit. So hits, which are
few, are all that is looked at. Everything is an integer (`UNIT` is one nat), so results are the same everywhere.

`check_texts` and `check_band` see all that is given before anything is read without bounds checks.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_View = npt.NDArray[Any]

MOST_RUN = 3
"""Sentences of a side of the longest bead."""
ROWS = 4
"""Rows of which scores are kept: those that a bead may begin in."""
MAX_HITS = 4096
"""Hits of one sentence that are looked at."""
STATE = 16
"""Of a step back: the bead before is a gap."""
GAP_IN_TARGET = 32
"""Of a step back from a gap: the gap is a sentence of the target."""
GAP_STATE = 64
"""Of a step back from a gap: the bead before is a gap, too."""
MAX_LENGTH = 16777216
"""Lengths of beads beyond are taken for this."""


class Texts:
    """Two texts as `find_beads` reads them: numbers of words, lengths and borders of their sentences."""

    def __init__(
        self,
        source_words: _View,
        source_starts: _View,
        target_words: _View,
        target_starts: _View,
        hit_starts: _View,
        hit_words: _View,
        hit_weights: _View,
        source_misses: _View,
        target_misses: _View,
        source_sizes: _View,
        target_sizes: _View,
        size_costs: _View,
        source_lengths: _View,
        target_lengths: _View,
        length_costs: _View,
        source_borders: _View,
        target_borders: _View,
        source_kinds: _View,
        target_kinds: _View,
    ) -> None:
        """Take arrays, and check that they fit together.

        Words of a sentence are different ones; hits of a word are from `hit_starts[word]` on: words of the target
        and weights. `sizes` (words), `lengths` and `borders` (sentences that begin a block) are sums over all sentences
        before. `size_costs` and `length_costs` are tables, see `size_cost` and `length_cost`.
        """
        self.source_words = source_words
        self.source_starts = source_starts
        self.target_words = target_words
        self.target_starts = target_starts
        self.hit_starts = hit_starts
        self.hit_words = hit_words
        self.hit_weights = hit_weights
        self.source_misses = source_misses
        self.target_misses = target_misses
        self.source_sizes = source_sizes
        self.target_sizes = target_sizes
        self.size_costs = size_costs
        self.source_lengths = source_lengths
        self.target_lengths = target_lengths
        self.length_costs = length_costs
        self.source_borders = source_borders
        self.target_borders = target_borders
        self.source_kinds = source_kinds
        self.target_kinds = target_kinds
        self.sources = source_starts.shape[0] - 1
        self.targets = target_starts.shape[0] - 1
        check_texts(self)
        words = target_misses.shape[0]
        self.posting_starts = np.zeros(words + 2, np.int64)
        self.postings = np.zeros(target_words.shape[0] + 1, np.int32)
        find_postings(self, words)
        self.source_bases = np.zeros(self.sources, np.int64)
        self.target_bases = np.zeros(self.targets, np.int64)
        add_misses(self)


def check_texts(texts: Texts) -> int:
    """Raise if the arrays of two texts don't fit together."""
    sources, targets = texts.sources, texts.targets
    if sources < 0 or targets < 0:
        raise ValueError("starts of sentences end with where the last one ends")
    if (
        texts.source_sizes.shape[0] != sources + 1
        or texts.target_sizes.shape[0] != targets + 1
        or texts.source_lengths.shape[0] != sources + 1
        or texts.target_lengths.shape[0] != targets + 1
        or texts.source_borders.shape[0] != sources + 1
        or texts.target_borders.shape[0] != targets + 1
        or texts.source_kinds.shape[0] != sources
        or texts.target_kinds.shape[0] != targets
        or texts.size_costs.shape[0] < 1
        or texts.length_costs.shape[0] < 1
        or texts.hit_weights.shape[0] != texts.hit_words.shape[0]
        or texts.hit_starts.shape[0] != texts.source_misses.shape[0] + 1
    ):
        raise ValueError("arrays of sentences differ in length")
    check_rows(texts.source_starts, texts.source_words.shape[0])
    check_rows(texts.target_starts, texts.target_words.shape[0])
    check_rows(texts.hit_starts, texts.hit_words.shape[0])
    check_words(texts.source_words, texts.source_misses.shape[0])
    check_words(texts.target_words, texts.target_misses.shape[0])
    check_words(texts.hit_words, texts.target_misses.shape[0])
    return 0


def check_rows(starts: _View, size: int) -> int:
    """Raise if rows are not in an array of that size."""
    last = starts.shape[0] - 1
    if last < 0 or starts[0] < 0 or starts[last] > size:
        raise ValueError("rows are outside of their array")
    for row in range(last):
        if starts[row] > starts[row + 1]:
            raise ValueError("rows are not in order")
    return 0


def check_words(words: _View, size: int) -> int:
    """Raise if a number of a word is not one."""
    for place in range(words.shape[0]):
        if words[place] < 0 or words[place] >= size:
            raise ValueError("there is no such word")
    return 0


def find_postings(texts: Texts, words: int) -> int:
    """Write for each word of the target the sentences that have it, in order."""
    starts = texts.posting_starts
    postings = texts.postings
    target_words = texts.target_words
    target_starts = texts.target_starts
    for place in range(target_starts[0], target_starts[texts.targets]):
        starts[target_words[place] + 2] += 1
    for word in range(words):
        starts[word + 2] += starts[word + 1]
    for sentence in range(texts.targets):
        for place in range(target_starts[sentence], target_starts[sentence + 1]):
            word = target_words[place]
            postings[starts[word + 1]] = sentence
            starts[word + 1] += 1
    return 0


def add_misses(texts: Texts) -> int:
    """Add up what each sentence loses if no word of it has a hit."""
    for sentence in range(texts.sources):
        for place in range(texts.source_starts[sentence], texts.source_starts[sentence + 1]):
            texts.source_bases[sentence] += texts.source_misses[texts.source_words[place]]
    for sentence in range(texts.targets):
        for place in range(texts.target_starts[sentence], texts.target_starts[sentence + 1]):
            texts.target_bases[sentence] += texts.target_misses[texts.target_words[place]]
    return 0


def length_cost(texts: Texts, source: int, target: int) -> int:
    """What the lengths of the sides of a bead cost, by the square of their difference, relative to their sum."""
    source = min(source, MAX_LENGTH)
    target = min(target, MAX_LENGTH)
    apart = source - target
    last = texts.length_costs.shape[0] - 1
    share = int(
        apart * apart * 16.0 / (source + target + 1)
    )  # of doubles, which divide faster, and the same everywhere
    cost: int = texts.length_costs[min(share, last)]
    return cost


def size_cost(texts: Texts, size: int) -> int:
    """What a hit is worth less in a text with that many words, as it is more often there by chance."""
    cost: int = texts.size_costs[min(size, texts.size_costs.shape[0] - 1)]
    return cost


class Hits:
    """The hits of the sentences of the last rows, by the sentence of the target."""

    def __init__(self, texts: Texts, width: int) -> None:
        """Make room for rows of at most `width` sentences of the target."""
        self.texts = texts
        self.pointers = np.array(self.texts.posting_starts)
        self.starts = np.zeros((ROWS, width + 2), np.int32)
        self.firsts = np.zeros(ROWS, np.int64)
        self.widths = np.zeros(ROWS, np.int64)
        self.source_hits = np.zeros((ROWS, MAX_HITS), np.int32)
        self.target_hits = np.zeros((ROWS, MAX_HITS), np.int32)
        self.weights = np.zeros((ROWS, MAX_HITS), np.int32)
        self.found = np.zeros((4, MAX_HITS), np.int32)
        self.best_source = np.zeros(self.texts.source_misses.shape[0] + 1, np.int32)
        self.best_target = np.zeros(self.texts.target_misses.shape[0] + 1, np.int32)
        self.touched = np.zeros(ROWS * MAX_HITS, np.int32)

    def find(self, sentence: int, first: int, end: int) -> int:
        """Find the hits of a sentence of the source in those of the target from `first` to before `end`.

        `first` must not be less than it was for the sentence before.
        """
        texts = self.texts
        slot = sentence % ROWS
        self.firsts[slot] = first
        self.widths[slot] = end - first
        for column in range(end - first + 2):
            self.starts[slot, column] = 0
        count = 0
        for place in range(texts.source_starts[sentence], texts.source_starts[sentence + 1]):
            word = texts.source_words[place]
            for hit in range(texts.hit_starts[word], texts.hit_starts[word + 1]):
                other = texts.hit_words[hit]
                posting = self.pointers[other]
                last = texts.posting_starts[other + 1]
                while posting < last and texts.postings[posting] < first:
                    posting += 1
                self.pointers[other] = posting
                while posting < last and texts.postings[posting] < end and count < MAX_HITS:
                    self.found[0, count] = word
                    self.found[1, count] = other
                    self.found[2, count] = texts.hit_weights[hit]
                    self.found[3, count] = texts.postings[posting] - first
                    self.starts[slot, texts.postings[posting] - first + 2] += 1
                    count += 1
                    posting += 1
        for column in range(2, end - first + 2):
            self.starts[slot, column] += self.starts[slot, column - 1]
        for number in range(count):
            column = self.found[3, number] + 1
            at = self.starts[slot, column]
            self.starts[slot, column] += 1
            self.source_hits[slot, at] = self.found[0, number]
            self.target_hits[slot, at] = self.found[1, number]
            self.weights[slot, at] = self.found[2, number]
        return count

    def has(self, sentence: int, target: int) -> int:
        """Count the hits of a sentence of the source in one of the target."""
        slot = sentence % ROWS
        column = target - self.firsts[slot]
        if column < 0 or column >= self.widths[slot]:
            return 0
        count: int = self.starts[slot, column + 1] - self.starts[slot, column]
        return count

    def gain_of_target(self, sentence: int, run: int, target: int, cost: int) -> int:
        """What words of one target sentence gain by the `run` source sentences that end with `sentence`."""
        count = 0
        for row in range(sentence - run + 1, sentence + 1):
            slot = row % ROWS
            column = target - self.firsts[slot]
            if column < 0 or column >= self.widths[slot]:
                continue
            for hit in range(self.starts[slot, column], self.starts[slot, column + 1]):
                word = self.target_hits[slot, hit]
                if self.best_target[word] == 0:
                    self.touched[count] = word
                    count += 1
                self.best_target[word] = max(self.best_target[word], self.weights[slot, hit])
        total = 0
        for number in range(count):
            word = self.touched[number]
            gain = self.best_target[word] - self.texts.target_misses[word] - cost
            if gain > 0:
                total += gain
            self.best_target[word] = 0
        return total

    def gain_of_source(self, sentence: int, run: int, target: int, cost: int) -> int:
        """What words of one source sentence gain by the `run` target sentences that end with `target`."""
        slot = sentence % ROWS
        count = 0
        for column in range(target - run + 1 - self.firsts[slot], target + 1 - self.firsts[slot]):
            if column < 0 or column >= self.widths[slot]:
                continue
            for hit in range(self.starts[slot, column], self.starts[slot, column + 1]):
                word = self.source_hits[slot, hit]
                if self.best_source[word] == 0:
                    self.touched[count] = word
                    count += 1
                self.best_source[word] = max(self.best_source[word], self.weights[slot, hit])
        total = 0
        for number in range(count):
            word = self.touched[number]
            gain = self.best_source[word] - self.texts.source_misses[word] - cost
            if gain > 0:
                total += gain
            self.best_source[word] = 0
        return total


def check_band(texts: Texts, lows: _View, highs: _View, kinds: _View, costs: _View) -> int:
    """Raise if a band leaves the table or goes back, or a bead is too large; return the most cells of a row."""
    rows = texts.sources + 1
    if lows.shape[0] != rows or highs.shape[0] != rows:
        raise ValueError("a band has a row for each sentence of the source, and one")
    if lows[0] != 0 or highs[rows - 1] != texts.targets:
        raise ValueError("a band begins at the beginning of both texts, and ends at their end")
    width = 0
    for row in range(rows):
        if lows[row] < 0 or highs[row] > texts.targets or lows[row] > highs[row]:
            raise ValueError("a band leaves the table")
        if row > 0 and (lows[row] < lows[row - 1] or highs[row] < highs[row - 1] or lows[row] > highs[row - 1] + 1):
            raise ValueError("a band goes back, or is broken")
        width = max(width, highs[row] - lows[row] + 1)
    if kinds.shape[0] != costs.shape[0] or kinds.shape[0] > STATE:
        raise ValueError("each kind of bead has a cost")
    for kind in range(kinds.shape[0]):
        if not 1 <= kinds[kind, 0] <= MOST_RUN or not 1 <= kinds[kind, 1] <= MOST_RUN:
            raise ValueError("a bead has one to three sentences on each side")
    return width


def find_beads(
    texts: Texts,
    lows: _View,
    highs: _View,
    kinds: _View,
    costs: _View,
    gap: int,
    next_gap: int,
    gap_lengths: bool,
    words_weight: int,
    inner_border: int,
    one_border: int,
    both_borders: int,
    other_kind: int,
) -> tuple[_View, _View]:
    """Return the best beads: how many sentences of the source and of the target each has.

    `kinds` has the sentences on both sides of the kinds of beads that may be, and `costs` what each costs; a `gap`
    costs that, and a `next_gap` behind a gap; with `gap_lengths`, its length costs, too, as in Gale and Church's
    method. `words_weight` says how much words count, in 256ths. The others are what a border of blocks costs that is
    inside of a bead, or at the beginning of one side only, what is gained if it is on both, and what blocks of
    different kinds cost.
    """
    width = check_band(texts, lows, highs, kinds, costs)
    search = Search(texts, lows, highs, kinds, costs, width)
    search.gap = gap
    search.next_gap = next_gap
    search.gap_lengths = gap_lengths
    search.words_weight = words_weight
    search.inner_border = inner_border
    search.one_border = one_border
    search.both_borders = both_borders
    search.other_kind = other_kind
    for row in range(texts.sources + 1):
        search.fill_beads(row)
        search.fill_gaps(row)
    return search.trace()


class Search:
    """The rows of the table that are being filled, and the steps back from every cell of the band."""

    def __init__(self, texts: Texts, lows: _View, highs: _View, kinds: _View, costs: _View, width: int) -> None:
        """Make room for a band that was checked, whose rows have at most `width` cells."""
        self.texts = texts
        self.lows = lows
        self.highs = highs
        self.kinds = kinds
        self.costs = costs
        self.room = width + 2 * ROWS + 4
        self.hits = Hits(texts, self.room)
        self.never = -1000000000000000000  # the score of what can't be reached
        self.scores = np.full((ROWS, self.room), self.never, np.int64)
        self.gaps = np.full((ROWS, self.room), self.never, np.int64)
        self.target_gains = np.zeros((MOST_RUN + 1, self.room), np.int64)
        self.source_gains = np.zeros((ROWS, MOST_RUN + 1, self.room), np.int64)
        self.firsts = np.zeros(ROWS, np.int64)
        starts = np.zeros(self.texts.sources + 2, np.int64)
        starts[1:] = np.cumsum(np.asarray(highs, np.int64) - np.asarray(lows, np.int64) + 1)
        self.cell_starts = starts
        self.steps = np.zeros(int(starts[-1]), np.uint8)
        self.gap = self.next_gap = self.words_weight = 0
        self.inner_border = self.one_border = self.both_borders = self.other_kind = 0
        self.gap_lengths = False

    def fill_beads(self, i: int) -> int:
        """Find for each cell of a row the best bead with sentences on both sides that ends there."""
        low = self.lows[i]
        high = self.highs[i]
        slot = i % ROWS
        before = max(low - MOST_RUN, 0)  # the first sentence of the target that a bead of this row may have
        for column in range(self.room):
            self.scores[slot, column] = self.never
            self.gaps[slot, column] = self.never
        if i == 0:
            self.scores[0, 0] = 0
            return 0
        self.firsts[(i - 1) % ROWS] = before
        if self.words_weight:
            behind = min(high + MOST_RUN, self.texts.targets)
            find_gains(self.texts, self.hits, i - 1, before, behind, self.target_gains, self.source_gains)
        for kind in range(self.kinds.shape[0]):
            if self.kinds[kind, 0] <= i:
                self.fill_kind(i, kind, before)
        return 0

    def fill_kind(self, i: int, kind: int, before: int) -> int:
        """Try beads of one kind for each cell of a row."""
        texts = self.texts
        scores, gaps, steps = self.scores, self.gaps, self.steps
        target_gains, source_gains = self.target_gains, self.source_gains
        target_lengths = texts.target_lengths
        a = self.kinds[kind, 0]
        b = self.kinds[kind, 1]
        low = self.lows[i]
        slot = i % ROWS
        from_slot = (i - a) % ROWS
        first = self.lows[i - a] + b
        cells = self.cell_starts[i] - low
        length = texts.source_lengths[i] - texts.source_lengths[i - a]
        cost = self.costs[kind]
        for j in range(max(low, first), min(self.highs[i], self.highs[i - a] + b) + 1):
            score = scores[from_slot, j - first]
            state = 0
            if gaps[from_slot, j - first] > score:
                score = gaps[from_slot, j - first]
                state = STATE
            score -= cost
            if self.words_weight:
                gain = target_gains[a, j - before] - target_gains[a, j - b - before]
                for r in range(i - a, i):
                    gain += source_gains[r % ROWS, b, j - self.firsts[r % ROWS]]
                score += gain * self.words_weight >> 8  # not //, which C rounds to zero
            if score + self.both_borders <= scores[slot, j - low]:
                continue  # lengths and borders can't change that
            score -= self.border_cost(i, j, a, b) + length_cost(
                texts, length, target_lengths[j] - target_lengths[j - b]
            )
            if score > scores[slot, j - low]:
                scores[slot, j - low] = score
                steps[cells + j] = kind | state
        return 0

    def fill_gaps(self, i: int) -> int:
        """Find for each cell of a row the best gap that ends there: a sentence of the source, or of the target."""
        texts = self.texts
        scores, gaps, steps = self.scores, self.gaps, self.steps
        low = self.lows[i]
        slot = i % ROWS
        above = (i - 1) % ROWS if i > 0 else 0
        first = self.lows[i - 1] if i > 0 else 0
        last = self.highs[i - 1] if i > 0 else -1
        cost = other_cost = 0
        if self.gap_lengths and i > 0:
            cost = length_cost(texts, texts.source_lengths[i] - texts.source_lengths[i - 1], 0)
        cells = self.cell_starts[i] - low
        for j in range(low, self.highs[i] + 1):
            best = self.never
            step = 0
            if j <= last:
                best = scores[above, j - first] - self.gap - cost
                if gaps[above, j - first] - self.next_gap - cost > best:
                    best = gaps[above, j - first] - self.next_gap - cost
                    step = GAP_STATE
            if j > low:
                if self.gap_lengths:
                    other_cost = length_cost(texts, 0, texts.target_lengths[j] - texts.target_lengths[j - 1])
                if scores[slot, j - 1 - low] - self.gap - other_cost > best:
                    best = scores[slot, j - 1 - low] - self.gap - other_cost
                    step = GAP_IN_TARGET
                if gaps[slot, j - 1 - low] - self.next_gap - other_cost > best:
                    best = gaps[slot, j - 1 - low] - self.next_gap - other_cost
                    step = GAP_IN_TARGET | GAP_STATE
            gaps[slot, j - low] = max(best, self.never)
            steps[cells + j] |= step
        return 0

    def border_cost(self, i: int, j: int, a: int, b: int) -> int:
        """What the borders of blocks cost a bead that ends before sentences i and j; below 0 if they agree."""
        texts = self.texts
        inner = texts.source_borders[i] - texts.source_borders[i - a + 1]
        inner += texts.target_borders[j] - texts.target_borders[j - b + 1]
        cost: int = inner * self.inner_border
        source_begins = texts.source_borders[i - a + 1] - texts.source_borders[i - a]
        target_begins = texts.target_borders[j - b + 1] - texts.target_borders[j - b]
        if source_begins != target_begins:
            cost += self.one_border
        elif source_begins:
            cost -= self.both_borders
        if texts.source_kinds[i - a] != texts.target_kinds[j - b]:
            cost += self.other_kind
        return cost

    def trace(self) -> tuple[_View, _View]:
        """Go the way back from the end, and return the beads from the beginning."""
        i = self.texts.sources
        j = self.texts.targets
        made, also = np.zeros(i + j, np.int64), np.zeros(i + j, np.int64)
        source_counts, target_counts = made, also
        count = 0
        in_gap = self.gaps[i % ROWS, j - self.lows[i]] > self.scores[i % ROWS, j - self.lows[i]]
        while i > 0 or j > 0:
            step = self.steps[self.cell_starts[i] + j - self.lows[i]]
            if in_gap:
                in_gap = (step & GAP_STATE) != 0
                a = 0 if step & GAP_IN_TARGET else 1
                b = 1 - a
            else:
                in_gap = (step & STATE) != 0
                a = self.kinds[step & (STATE - 1), 0]
                b = self.kinds[step & (STATE - 1), 1]
            if a > i or b > j or j - b < self.lows[i - a] or j - b > self.highs[i - a]:
                raise ValueError("the way back leaves the band")
            source_counts[count] = a
            target_counts[count] = b
            count += 1
            i -= a
            j -= b
        return made[:count][::-1].copy(), also[:count][::-1].copy()


def find_gains(
    texts: Texts, hits: Hits, sentence: int, before: int, behind: int, target_gains: _View, source_gains: _View
) -> int:
    """Write what hits of a sentence of the source, and of those before it, are worth.

    `target_gains[run]` has the sums for the target sentences from `before` to before each, and the `run` source
    sentences that end with this one; `source_gains[run]` is for this source sentence, and the `run` target sentences
    that end before each.
    """
    hits.find(sentence, before, behind)
    slot = sentence % ROWS
    one = size_cost(texts, texts.source_sizes[sentence + 1] - texts.source_sizes[sentence])
    two = size_cost(texts, texts.source_sizes[sentence + 1] - texts.source_sizes[max(sentence - 1, 0)])
    three = size_cost(texts, texts.source_sizes[sentence + 1] - texts.source_sizes[max(sentence - 2, 0)])
    base = texts.source_bases[sentence]
    for run in range(1, MOST_RUN + 1):
        source_gains[slot, run, 0] = base
        target_gains[run, 0] = 0
    near = nearer = 0  # hits in the two sentences of the target before
    for target in range(before, behind):
        column = target - before
        here = hits.has(sentence, target)
        above = hits.has(sentence - 1, target) if sentence > 0 else 0
        higher = hits.has(sentence - 2, target) if sentence > 1 else 0
        target_base = texts.target_bases[target]
        for run in range(1, MOST_RUN + 1):
            source_gains[slot, run, column + 1] = base
            target_gains[run, column + 1] = target_gains[run, column] + target_base
        if here:
            target_gains[1, column + 1] += hits.gain_of_target(sentence, 1, target, one)
            cost = size_cost(texts, texts.target_sizes[target + 1] - texts.target_sizes[target])
            source_gains[slot, 1, column + 1] += hits.gain_of_source(sentence, 1, target, cost)
        if here + above and sentence > 0:
            target_gains[2, column + 1] += hits.gain_of_target(sentence, 2, target, two)
        if here + above + higher and sentence > 1:
            target_gains[3, column + 1] += hits.gain_of_target(sentence, 3, target, three)
        if here + nearer and target > 0:
            cost = size_cost(texts, texts.target_sizes[target + 1] - texts.target_sizes[target - 1])
            source_gains[slot, 2, column + 1] += hits.gain_of_source(sentence, 2, target, cost)
        if here + nearer + near and target > 1:
            cost = size_cost(texts, texts.target_sizes[target + 1] - texts.target_sizes[target - 2])
            source_gains[slot, 3, column + 1] += hits.gain_of_source(sentence, 3, target, cost)
        near = nearer
        nearer = here
    return 0


def measure_beads(texts: Texts, source_bounds: _View, target_bounds: _View) -> tuple[_View, _View, _View]:
    """Measure beads, given where each begins in both texts, and at the end where the last one ends.

    Returns for each bead what its words are worth, how many of its different words have a hit that counts, and how
    many there are.
    """
    check_rows(source_bounds, texts.sources)
    check_rows(target_bounds, texts.targets)
    beads = source_bounds.shape[0] - 1
    if target_bounds.shape[0] != beads + 1:
        raise ValueError("beads have two sides")
    made = np.zeros((beads, 3), np.int64)
    measured = made
    source_made = np.full(texts.source_misses.shape[0] + 1, -1, np.int32)
    target_made = np.full(texts.target_misses.shape[0] + 1, -1, np.int32)
    seen, best = source_made, target_made
    for bead in range(beads):
        first, end = source_bounds[bead], source_bounds[bead + 1]
        target_first, target_end = target_bounds[bead], target_bounds[bead + 1]
        for place in range(texts.target_starts[target_first], texts.target_starts[target_end]):
            best[texts.target_words[place]] = 0
        cost = size_cost(texts, texts.target_sizes[target_end] - texts.target_sizes[target_first])
        measure_source(texts, first, end, bead, cost, seen, best, measured)
        cost = size_cost(texts, texts.source_sizes[end] - texts.source_sizes[first])
        measure_target(texts, target_first, target_end, bead, cost, best, measured)
    return made[:, 0], made[:, 1], made[:, 2]


def measure_source(
    texts: Texts, first: int, end: int, bead: int, cost: int, seen: _View, best: _View, measured: _View
) -> int:
    """Measure the source side of a bead, and note the best hit of each word of the target, which begins with 0."""
    for place in range(texts.source_starts[first], texts.source_starts[end]):
        word = texts.source_words[place]
        if seen[word] == bead:
            continue
        seen[word] = bead
        weight = 0
        for hit in range(texts.hit_starts[word], texts.hit_starts[word + 1]):
            other = texts.hit_words[hit]
            if best[other] >= 0:
                weight = max(weight, texts.hit_weights[hit])
                best[other] = max(best[other], texts.hit_weights[hit])
        add_word(measured, bead, weight, texts.source_misses[word], cost)
    return 0


def measure_target(texts: Texts, first: int, end: int, bead: int, cost: int, best: _View, measured: _View) -> int:
    """Measure the target side of a bead, given the best hit of each of its words, which is -1 afterwards."""
    for place in range(texts.target_starts[first], texts.target_starts[end]):
        word = texts.target_words[place]
        if best[word] >= 0:
            add_word(measured, bead, best[word], texts.target_misses[word], cost)
            best[word] = -1
    return 0


def add_word(measured: _View, bead: int, weight: int, miss: int, cost: int) -> int:
    """Add what a word is worth whose best hit has that weight."""
    measured[bead, 2] += 1
    measured[bead, 0] += miss
    if weight > 0 and weight - miss - cost > 0:
        measured[bead, 0] += weight - miss - cost
        measured[bead, 1] += 1
    return 0
