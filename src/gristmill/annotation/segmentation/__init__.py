"""Word segmentation of Chinese, Japanese and Thai by small models of our own, and how they are trained.

model               a model: tables of characters, a lexicon, weights; read from and written to one file
lexicon             word lists as hashes with classes of frequency
character_types     what kind of character each one is, as models store it
treebanks           sentences with their words, from CoNLL-U and Parquet files
field               a conditional random field, whose weights are found by L-BFGS
training            all of these put together, for `gristmill train segmenter`
models/             the models that come with gristmill, and their cards
"""
