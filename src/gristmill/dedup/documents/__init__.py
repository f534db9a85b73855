"""Methods that compare whole documents: which ones are alike, and which of them is kept."""

from gristmill.dedup.documents.clustering import best_scores, clusters
from gristmill.dedup.documents.containment import Containment
from gristmill.dedup.documents.heintze import Heintze
from gristmill.dedup.documents.henzinger import Henzinger
from gristmill.dedup.documents.intervals import Intervals
from gristmill.dedup.documents.method import DocumentMethod
from gristmill.dedup.documents.minhash import MinHash
from gristmill.dedup.documents.pugh import Pugh
from gristmill.dedup.documents.resemblance import Resemblance
from gristmill.dedup.documents.shivakumar import Shivakumar
from gristmill.dedup.documents.sif import Sif
from gristmill.dedup.documents.simhash import SimHash
from gristmill.dedup.documents.sketches import Pairs, Sketches, join
from gristmill.dedup.documents.wacky import Wacky
from gristmill.dedup.documents.winnow import Winnow

DOCUMENT_METHODS: dict[str, type[DocumentMethod]] = {
    "minhash": MinHash,
    "simhash": SimHash,
    "henzinger": Henzinger,
    "winnow": Winnow,
    "sif": Sif,
    "heintze": Heintze,
    "shivakumar": Shivakumar,
    "pugh": Pugh,
    "wacky": Wacky,
    "containment": Containment,
    "intervals": Intervals,
    "resemblance": Resemblance,
}
"""All of them by name."""

__all__ = ["DOCUMENT_METHODS", "DocumentMethod", "Pairs", "Sketches", "best_scores", "clusters", "join"]
