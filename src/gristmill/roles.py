"""Roles of blocks: what a block is on its page, whatever its score. Which of them count as text is a user's decision.

`cleaning.roles` finds them; they are a column of the corpus (`Block.role`), and text is chosen by them at any time.
"""

from __future__ import annotations

from collections.abc import Iterable

from gristmill.errors import UsageError

ROLES = (
    "title",  # the headline of the page's own text
    "heading",  # a heading within it
    "text",  # running text; on a forum also its posts, on a listing its offers
    "list",  # an item of a list that is part of the text
    "table",  # a cell of a table of data
    "code",  # code and other preformatted text
    "quote",  # a quotation set off from the text
    "caption",  # what a picture, film or table shows, and who made it
    "byline",  # who wrote the text and when, where, and how long it takes to read it
    "comment",  # what readers wrote below the text
    "teaser",  # links to other texts, with or without a summary
    "notice",  # advertisements, cookies, newsletters, sharing, legal matters
    "navigation",  # menus, breadcrumbs, tags, pages that come before and after
    "form",  # fields, labels and buttons
)
"""All roles."""

DEFAULT_ROLES = ("title", "heading", "text", "list", "table", "code", "quote")
"""The roles that count as text if nothing else is said."""


def chosen(roles: Iterable[str] | None = None, without: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the roles that are asked for in the order of `ROLES`: some or the default ones, less others."""
    wanted = set(DEFAULT_ROLES if roles is None else check_roles(roles))
    wanted.difference_update(check_roles(without))
    return tuple(role for role in ROLES if role in wanted)


def check_roles(roles: Iterable[str]) -> tuple[str, ...]:
    """Return the roles as they are; raise if there is no such role."""
    given = tuple(roles)
    for role in given:
        if role not in ROLES:
            raise UsageError(f"there is no role {role!r}: roles are {', '.join(ROLES)}")
    return given
