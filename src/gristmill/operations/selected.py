"""Thresholds by which the text of a corpus is chosen anew: for an index, for an export."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gristmill.arguments import as_codes
from gristmill.parameters import asked, param
from gristmill.presets import PRESETS

if TYPE_CHECKING:
    from gristmill.corpus import Selection


@asked
class Tagged:
    """By what text is tagged."""

    taggers: tuple[str, ...] = param(
        "Use another tagger for a language or for all, such as de=spacy; `gristmill parts tagger` lists them.",
        default=(),
        option="tagger",
        metavar="[LANG=]NAME[:SETTINGS]",
    )


@asked
class Selected:
    """What of a corpus counts as its text; all as it was built, if nothing else is said."""

    max_boilerplate: float | None = param(
        "Leave out blocks with a higher score [as built].", default=None, minimum=0, maximum=1
    )
    roles: str | None = param(
        "Only blocks of these roles are text: text,heading,list, or all [as built].", default=None, kind="roles"
    )
    without: str | None = param("Leave out blocks of these roles: comment,caption.", default=None, kind="roles")
    max_duplicate: float | None = param(
        "Leave out blocks with a higher duplicate share [as de-duplication decided].",
        default=None,
        minimum=0,
        maximum=1,
    )
    lang: str | None = param("Only these languages: en or en,de,cs.", default=None, kind="lang", metavar="CODES")
    where: str | None = param(
        "Only documents for which this holds: 'host=\".*\\.uk\" & year>=2007', or @name of a subcorpus.",
        default=None,
        kind="condition",
    )
    preset: str | None = param(f"Filters: {PRESETS.everyday} [as built].", default=None, suggested=tuple(PRESETS))
    filters: tuple[str, ...] = param(
        "Add a filter, or change its settings; no-NAME removes one. `gristmill parts filter` lists all.",
        default=(),
        option="filter",
        metavar="NAME[:SETTINGS]",
    )
    min_length: int | None = param("Leave out documents with fewer characters [as built].", default=None, minimum=0)

    def selection(self, folder: Path) -> Selection:
        """The selection that this is in the corpus of a folder, whose subcorpora a condition may name."""
        from gristmill.corpus import Selection
        from gristmill.search.subcorpora import expanded

        return Selection(
            self.max_boilerplate,
            self.max_duplicate,
            as_codes(self.lang),
            self.min_length,
            self.preset,
            self.filters,
            expanded(self.where, folder) if self.where else None,
            self.roles,
            self.without or (),
        )
