"""Measure cleaning methods on gold standards: what they keep, what people say they should have kept, and how sure the figures are."""

from gristmill.evaluate.folds import by_site, folds
from gristmill.evaluate.gold import GoldPage, GoldSet, read_gold
from gristmill.evaluate.metrics import CleanEval, Counts, by_alignment, by_bag, by_cleaneval, f_score
from gristmill.evaluate.report import html_report
from gristmill.evaluate.run import Evaluation, Result, evaluate
from gristmill.evaluate.scores import PageScore, score
from gristmill.evaluate.summary import Summary, as_json, summarise
from gristmill.evaluate.table import METRICS, text_table

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
    "evaluate",
    "f_score",
    "folds",
    "html_report",
    "read_gold",
    "score",
    "summarise",
    "text_table",
]
