"""Evaluate cleaning methods on gold standards, with precision, recall, F and confidence intervals.

`gristmill evaluate` uses it. `training/` trains methods, and `near_duplicates/` evaluates de-duplication.
"""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.evaluation.cross_validation import by_site, folds
    from gristmill.evaluation.feature_thresholds import single_features
    from gristmill.evaluation.gold import GoldPage, GoldSet, read_gold
    from gristmill.evaluation.metrics import CleanEval, Counts, by_alignment, by_bag, by_cleaneval, f_score
    from gristmill.evaluation.mixed_blocks import coherence
    from gristmill.evaluation.report import html_report
    from gristmill.evaluation.run import Evaluation, Result, evaluate
    from gristmill.evaluation.scores import PageScore, score
    from gristmill.evaluation.summary import Summary, as_json, summarise
    from gristmill.evaluation.table import METRICS, text_table

__all__ = [
    "METRICS",
    "CleanEval",
    "Counts",
    "Evaluation",
    "GoldPage",
    "GoldSet",
    "PageScore",
    "Result",
    "Summary",
    "as_json",
    "by_alignment",
    "by_bag",
    "by_cleaneval",
    "by_site",
    "coherence",
    "evaluate",
    "f_score",
    "folds",
    "html_report",
    "read_gold",
    "score",
    "single_features",
    "summarise",
    "text_table",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "cross_validation": ("by_site", "folds"),
        "feature_thresholds": ("single_features",),
        "gold": ("GoldPage", "GoldSet", "read_gold"),
        "metrics": ("CleanEval", "Counts", "by_alignment", "by_bag", "by_cleaneval", "f_score"),
        "mixed_blocks": ("coherence",),
        "report": ("html_report",),
        "run": ("Evaluation", "Result", "evaluate"),
        "scores": ("PageScore", "score"),
        "summary": ("Summary", "as_json", "summarise"),
        "table": ("METRICS", "text_table"),
    },
)
