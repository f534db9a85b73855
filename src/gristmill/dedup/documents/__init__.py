"""Methods that compare whole documents: which ones are alike, and which of them is kept; each is a file."""

from gristmill.dedup.documents.clustering import best_scores, clusters
from gristmill.dedup.documents.method import DocumentMethod
from gristmill.dedup.documents.sketches import Pairs, Sketches, join

__all__ = ["DocumentMethod", "Pairs", "Sketches", "best_scores", "clusters", "join"]
