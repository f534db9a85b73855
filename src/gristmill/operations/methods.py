"""The methods of `Corpus` that are made of operations, as type checkers and editors see them.

They stand here and not in the class, as a type checker must look at all operations first. Nothing imports this when it
runs: `Corpus` gets its methods from the catalogue, and imports each operation when it is first used.
"""

from __future__ import annotations

from gristmill.operations import classes as of_names
from gristmill.operations import look, pages, questions, ranked, search, statistics, subcorpora, translate, watches
from gristmill.operations import phrases as of_trees
from gristmill.operations import sketches as word_sketches


class Methods:
    """What `Corpus` inherits, for type checkers."""

    ask = questions.ask
    classes = of_names.classes
    classes_evaluation = of_names.classes_evaluation
    classes_query = of_names.classes_query
    collocations = statistics.collocations
    comparable = translate.comparable
    compare = statistics.compare
    concordance = search.concordance
    count = search.count
    dispersion = search.dispersion
    distribution = search.distribution
    duplicates = look.duplicates
    find = ranked.find
    frequency = search.frequency
    keywords = statistics.keywords
    list_dropped = look.list_dropped
    phrases = of_trees.phrases
    phrases_query = of_trees.phrases_query
    remove_subcorpus = subcorpora.remove_subcorpus
    rename_subcorpus = subcorpora.rename_subcorpus
    save_subcorpus = subcorpora.save_subcorpus
    sketch = word_sketches.sketch
    sketch_difference = word_sketches.sketch_difference
    sketch_query = word_sketches.sketch_query
    sketches = word_sketches.sketches
    stats = look.stats
    status = look.status
    subcorpora = subcorpora.subcorpora
    thesaurus = word_sketches.thesaurus
    watch_add = watches.watch_add
    watch_list = watches.watch_list
    watch_remove = watches.watch_remove
    watch_run = watches.watch_run
    watch_set = watches.watch_set
    watch_show = watches.watch_show
    why = pages.why
    wordlist = statistics.wordlist
