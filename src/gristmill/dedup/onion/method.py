"""onion: repeated text is found by duplicate n-grams, block by block (Pomikálek 2011, sections 3.4 to 3.5)."""

from __future__ import annotations

from dataclasses import dataclass

from gristmill.dedup.job import Job
from gristmill.dedup.onion.finders import FINDERS
from gristmill.dedup.onion.index import check_indexes
from gristmill.dedup.onion.plan import Settings
from gristmill.dedup.onion.run import BASE_MEMORY, BUCKETS, run_onion
from gristmill.errors import UsageError
from gristmill.registry import part

_LEVELS = ("block", "document")
_RULES = ("careful", "tidy", "thesis")
_EXCLUDABLE = ("punctuation", "stopwords")
_NOTHING = "none"


@part("de-duplication method", "onion")
@dataclass(frozen=True, kw_only=True)
class Onion:
    """Drops blocks most of whose text stands in earlier ones, and short blocks between these, if a copy is kept."""

    n: int = 10
    """Tokens of an n-gram."""
    threshold: float = 0.5
    """Blocks with a higher share of repeated tokens are duplicates."""
    level: str = "block"
    """`block`, or `document` to keep or drop documents as wholes."""
    exclude: str = "punctuation"
    """Tokens that are left out: `punctuation`, `stopwords`, `punctuation+stopwords`, or `none`."""
    rules: str = "careful"
    """`careful` drops no text of which no copy is kept; `tidy` also drops short blocks between duplicates that stand
    nowhere else; `thesis` follows the thesis to the letter, for comparison with the literature."""
    finder: str = BUCKETS
    """Who finds the duplicate n-grams: `buckets`; `spex` and `suffix` find the same and exist to be compared."""

    def __post_init__(self) -> None:
        if not 1 <= self.n <= 255:
            raise UsageError(f"onion: n must be from 1 to 255, not {self.n}")
        if not 0 <= self.threshold <= 1:
            raise UsageError(f"onion: threshold must be between 0 and 1, not {self.threshold}")
        if self.level not in _LEVELS:
            raise UsageError(f"onion: level must be one of {', '.join(_LEVELS)}, not {self.level!r}")
        if self.rules not in _RULES:
            raise UsageError(f"onion: rules must be one of {', '.join(_RULES)}, not {self.rules!r}")
        for excluded in self.exclude.split("+") if self.exclude != _NOTHING else ():
            if excluded not in _EXCLUDABLE:
                raise UsageError(
                    f"onion: exclude must be made of {', '.join(_EXCLUDABLE)}, joined by +, or {_NOTHING}, "
                    f"not {self.exclude!r}"
                )

        if self.finder not in (BUCKETS, *FINDERS):
            raise UsageError(f"onion: finder must be one of {', '.join((BUCKETS, *FINDERS))}, not {self.finder!r}")

    def check(self, job: Job) -> None:
        """Refuse too little memory, and other corpora without an index that fits."""
        if self.finder != BUCKETS:
            job.refuse_others(f"the finder {self.finder}")
        if job.memory < BASE_MEMORY:
            raise UsageError(
                f"de-duplication needs at least {BASE_MEMORY // 1_000_000} MB of memory, not {job.memory // 1_000_000}"
            )
        check_indexes(job.against, self._settings())

    def run(self, job: Job) -> dict[str, int]:
        """De-duplicate; what an interrupted run has done is not done again."""
        self.check(job)
        return run_onion(self._settings(), self.finder, job)

    def _settings(self) -> Settings:
        left_out = self.exclude.split("+")
        return Settings(
            n=self.n,
            threshold=self.threshold,
            whole_documents=self.level == "document",
            punctuation="punctuation" not in left_out,
            stop_words="stopwords" not in left_out,
            rules=self.rules,
        )
