"""Selections, as users write them: thresholds and conditions by which documents and blocks of a corpus are chosen."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gristmill.arguments import check_type
from gristmill.condition import Condition
from gristmill.config import FilterConfig, check_share
from gristmill.corpus.attributes import DOC_ATTRIBUTES
from gristmill.errors import UsageError
from gristmill.presets import with_thresholds
from gristmill.roles import Names, as_text, check_roles, chosen, from_text
from gristmill.settings import list_of_strings

if TYPE_CHECKING:  # who only searches a corpus need not wait for the import of what filters its documents
    from gristmill.filter import Chain


@dataclass(frozen=True, slots=True)
class Selection:
    """Thresholds for reading a corpus; None means as it was built."""

    max_boilerplate: float | None = None
    max_duplicate: float | None = None
    languages: tuple[str, ...] | None = None
    min_length: int | None = None
    preset: str | None = None
    """A preset whose filters replace those of the build; `none` drops even the languages that were asked for."""
    filters: tuple[str, ...] = ()
    """Filters that replace those of the same name, or are added; `-name` takes one out.

    `-language` also takes out the languages that were asked for.
    """
    where: str | None = None
    """A condition on attributes of documents, such as `host=".*\\.uk" & year>=2007`."""
    roles: Names | None = None
    """Roles of blocks that count as text: names, or one text with commas between them; `all` for all roles."""
    without: Names = ()
    """Roles that do not count as text; alone, those that the corpus was built with do, but for these."""
    stored: bool = field(default=False, compare=False, repr=False)
    """Whether it was read from a file of the corpus: then what its filters name is used only if the user allows it."""

    def __post_init__(self) -> None:
        check_share(0 if self.max_duplicate is None else self.max_duplicate, "max_duplicate")
        check_share(0 if self.max_boilerplate is None else self.max_boilerplate, "max_boilerplate")
        check_type(self.min_length, int, "min_length", "a number of characters")
        check_type(self.preset, str, "preset", "the name of a preset")
        if self.min_length is not None and self.min_length < 0:
            raise UsageError(f"min_length must not be negative, but it is {self.min_length}")
        if list_of_strings(self.languages or (), "languages"):
            from gristmill.language import check_languages  # noqa: PLC0415 (as above)

            check_languages(self.languages or ())
        list_of_strings(self.filters, "filters")
        if self.roles is not None:
            object.__setattr__(self, "roles", chosen(self.roles, self.without))
        object.__setattr__(self, "without", () if self.roles else check_roles(self.without, "without"))
        if self.where is not None:
            Condition.parse(self.where).check(DOC_ATTRIBUTES, "doc")

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> Selection:
        """Make a selection of a table, such as `to_table` gives."""
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in table.items()
        }
        return cls(**{**given, "stored": True})

    def to_table(self) -> dict[str, Any]:
        """Return what differs from how the corpus was built, as it is written into files."""
        given = dataclasses.asdict(self)
        del given["stored"]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if value not in {None, ()}
        }

    @property
    def keeps_filters(self) -> bool:
        """Whether the filters would find what they found when the corpus was built."""
        asked = (self.max_boilerplate, self.languages, self.min_length, self.preset, self.roles)
        return all(value is None for value in asked) and not (self.filters or self.without)

    def roles_for(self, built: str) -> str:
        """Return the roles that count as text in a document, as it stores them, given those that it stores."""
        if self.roles is None and not self.without:
            return built
        return as_text(chosen(self.roles, self.without, from_text(built)))

    def filters_for(self, built: FilterConfig) -> Chain:
        """Make the filters to ask, given those that the corpus was built with."""
        from gristmill.filter import make_chain  # noqa: PLC0415 (as above)

        changed = built.replace(self.preset, self.filters, self.languages)
        filters = with_thresholds(changed.filters, "length", {"min": self.min_length})
        return make_chain(FilterConfig(filters, changed.languages))
