"""The numbers of what the parser looks at: attributes of words, places in a sentence, and facts about these.

An atom is an attribute of the word in a place (`place * ATTRIBUTES + attribute`), or a fact. Features are combinations
of atoms. Files of models have these numbers, so new ones are added at the end of what has room for them.
"""

from __future__ import annotations

WORD, LEMMA, TAG, MORPH, LEX, AGREE, SUFFIX, FULL = range(8)
"""Attributes: the form in lower case, the lemma, the part of speech, it with the features that matter most for
relations, the lemma of words that are no names, nouns, verbs or adjectives and MORPH of these, case with number and
gender, the last letters, and the part of speech with all features."""
ATTRIBUTES = 8

SHIFT, REDUCE, LEFT, RIGHT = range(4)
ACTIONS = 4

S0, S1, S2, S0_HEAD, S0_HEAD_HEAD, S0_LEFT, S0_LEFT_2, S0_RIGHT, S0_RIGHT_2, S1_RIGHT = range(10)
"""Places of a parser: words on the stack from its top on, heads and outermost children,"""
B0, B1, B2, B3, B0_LEFT, B0_LEFT_2, S0_NEXT, B0_PREVIOUS = range(10, 18)
"""words that are still to be read, the first one's children, and neighbours in the text."""
PLACES = 18
DISTANCE, S0_LEFTS, S0_RIGHTS, B0_LEFTS, S0_LEFT_TAGS, S0_RIGHT_TAGS, B0_LEFT_TAGS, BETWEEN = range(144, 152)
"""Facts: how far the top of the stack is from the first word to be read, how many children they have and which parts of
speech these have, and how many verbs, punctuation marks and conjunctions are between,"""
DEPTH, REST, HEADED, AT_END = range(152, 156)
"""how many words are on the stack and still to be read, whether the top has a head, and whether all words were read."""
ATOMS = 160

D, H, HH, D_LEFT, D_RIGHT, D_CASE, D_AUX, D_MARK, D_BEFORE, D_AFTER, SIBLING, NEXT_SIBLING, H_CASE = range(13)
"""Places of the labeller: a word, its head and that one's head, the word's outermost children and those that are
adpositions, auxiliaries and conjunctions, its neighbours, and the words beside it that have the same head."""
LABEL_PLACES = 13
FAR, D_TAGS, H_RELATION, SIBLING_RELATION, H_SEEN, D_CHILDREN, H_LEFTS = range(104, 111)
"""Facts: direction and distance of the head, parts of speech of the children, relation of the head and of the sibling
before, all relations that were given to the head's words before, how many children there are on each side, and how many
words of the head stand before it."""
LABEL_ATOMS = 112
TEMPLATE_ATOMS = 4
