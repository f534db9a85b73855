"""Word sketches: the collocates of a word by grammatical relation; thesaurus and sketch difference, made of them.

The idea and the name are those of the Sketch Engine (Kilgarriff, Rychlý, Smrž and Tugwell 2004). A grammar says by
patterns over tags which two tokens stand in which relation; all pairs of a corpus are counted once and kept on disk.
"""
