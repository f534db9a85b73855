"""Roles of blocks: what a block is on its page, whatever its score. Which of them count as text is a user's decision.

`cleaning.roles` finds them; they are a column of the corpus (`Block.role`), and text is chosen by them at any time.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any

from gristmill.arguments import wrong_type
from gristmill.errors import UsageError
from gristmill.registry import did_you_mean

ROLES = (
    "title",  # the headline of the page's own text, also if it comes twice
    "heading",  # a heading within it
    "text",  # running text; on a forum also its posts, on a listing its offers
    "list",  # an item of a list that is part of the text
    "table",  # a cell of a table of data
    "code",  # code and other preformatted text
    "quote",  # a quotation set off from the text
    "caption",  # what a picture, film or table shows, and who made it
    "byline",  # who wrote the text, when and where, how long it takes to read it; on a forum, data about its members
    "comment",  # what readers wrote below the text, and all that belongs to it
    "teaser",  # links to other texts, with or without a summary
    "notice",  # advertisements, cookies, newsletters, sharing, legal matters
    "navigation",  # menus, breadcrumbs, tags, pages that come before and after
    "form",  # fields, labels and buttons
)
"""All roles."""

DEFAULT_ROLES = ("title", "heading", "text", "list", "table", "code", "quote", "caption", "byline")
"""The roles that count as text on an article, with `mill`, if nothing else is said."""

DEFAULT_ROLES_ELSEWHERE = tuple(role for role in ROLES if role != "comment")
"""Those on pages that are no articles: what looks like a teaser or a menu may be all that such a page is about.

Most menus and notices are dropped there, too, for their scores.
"""


ALL = "all"
"""Stands for all roles where roles are chosen."""

Names = str | Iterable[str]
"""Roles as users name them: a list of names, or one text with commas between them; `all` stands for all roles."""


def chosen(
    roles: Names | None = None, without: Names = (), default: tuple[str, ...] = DEFAULT_ROLES
) -> tuple[str, ...]:
    """Return the roles that are asked for in the order of `ROLES`: some or the default ones, less others.

    Raises `UsageError` if there is no such role, or if none is left.
    """
    wanted = default if roles is None else check_roles(roles)
    others = check_roles(without, "without")
    left = tuple(role for role in ROLES if role in wanted and role not in others)
    if not left:
        but = f" without {', '.join(others)}" if others else ""
        raise UsageError(f"no role is left to be text{but} {_LIST}")
    return left


def check_roles(roles: Names, name: str = "roles") -> tuple[str, ...]:
    """Return roles that a user names, in the order of `ROLES`; raises `UsageError` if there is no such role.

    check_roles("text, heading")     ('heading', 'text')
    check_roles(["all"])             all roles
    """
    given = _split(roles) if isinstance(roles, str) else _listed(roles, name)
    for role in given:
        if role not in ROLES and role != ALL:
            raise UsageError(f"there is no role {role!r}{did_you_mean(role, ROLES)} {_LIST}")
    return ROLES if ALL in given else tuple(role for role in ROLES if role in given)


@functools.lru_cache(256)
def as_text(roles: tuple[str, ...]) -> str:
    """Return roles as documents store them: with commas between them, or an empty text for all, and for none."""
    return "" if not roles or set(ROLES) <= set(roles) else ",".join(roles)


def from_text(roles: str) -> tuple[str, ...]:
    """Return the roles that a document stores."""
    return _split(roles) or ROLES


def is_chosen(role: str, roles: str) -> bool:
    """Tell whether blocks of a role count as text for a document that stores these roles.

    Those without a role, such as blocks that a program has made, always do.
    """
    return not role or not roles or role in _counted(roles)


@functools.lru_cache(256)
def _counted(roles: str) -> frozenset[str]:
    names = _split(roles)
    return frozenset(ROLES if ALL in names else names)


def _listed(roles: Any, name: str) -> tuple[str, ...]:
    if isinstance(roles, Iterable):
        given = tuple(roles)
        if all(isinstance(role, str) for role in given):
            return given
    raise wrong_type(name, "names of roles, or one text with commas between them", roles)


def _split(roles: str) -> tuple[str, ...]:
    return tuple(name for part in roles.split(",") if (name := part.strip()))


_LIST = f"(there are: {', '.join(ROLES)}; {ALL} stands for all)"
