"""What every part of Gristmill knows of text: characters, scripts and words.

- `units`: a text as an array of UTF-16 code units.
- `characters`: tables of the Unicode categories of characters, for arrays and for regular expressions.
- `scripts`: scripts that put no spaces between words.
- `words`: what a word is, and how many a text has.
- `folding`: a form of text in which variants are the same: capitals, full-width letters, typography.
- `composition`: Unicode's normal form C, in linear time.
"""
