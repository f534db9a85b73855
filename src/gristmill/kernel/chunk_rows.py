"""What `chunks.py` and the rules of a language say to each other: what a character is, and what is known of a word."""

# What a character is: these bits, and behind them the number of a mark that may stand after a word, or 0.
SPACE = 1
"""White space, or a character that is not seen: it stands between chunks."""
LETTER = 2
"""A letter of a script with spaces."""
OPENER = 4
"""A quote or bracket that may stand before a word."""
MARK_SHIFT = 3
"""How far the number of a mark is shifted."""
MOST_MARKS = 15
"""So many marks have a number."""
CHARACTERS = 0x10000
"""So many characters are in the table; those behind them are none of these."""

# What is known of a word of letters.
PLAIN = 1
"""It is not split."""
BEGINS = 2
"""A sentence may begin with it plainly."""
DOT_ASKED = 4
"""It is known what a dot after it is."""
DOT_ENDS = 8
"""A dot after it is a full stop: it is no abbreviation, initial or number."""

MAX_CHARACTERS = 48
"""Of a chunk that is remembered: longer ones are addresses, or sentences without spaces, and don't come again."""
