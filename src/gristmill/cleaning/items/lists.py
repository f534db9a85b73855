"""Named entities of a user's own lists: a TOML file that says which names of which types there are.

    athlete = ["Sanya Richards", "Richards"]
    sport = ["400m", "400 Hurdles"]
    whole = ["sport"]

`whole` lists the types of which entities are the same only if all of their words are: 400m is not 400 Hurdles. The
paper has such types for athletics, and says that other subjects need others (BOEMIE, section 3.3.1). The model that
comes with Gristmill knows no subject: for it, all that the lists have are names, in place of those by rules.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from gristmill.cleaning.items.entities import NAME, TYPES, Entities, Entity, find_numbers
from gristmill.errors import UsageError
from gristmill.settings import list_of_strings, read_toml

_WHOLE = "whole"
_MAX_BYTES = 50_000_000
_MAX_ENTRY = 200


@lru_cache(8)
def entities_in(path: str) -> Entities:
    """Read lists from a file, as entities of the types of the model that comes with Gristmill: names and numbers.

    Numbers are found by rules as well, if they are in no list.
    """
    listed = read_lists(path)

    def find(text: str) -> list[Entity]:
        found = [Entity(entity.type if entity.type in TYPES else NAME, entity.words) for entity in listed.find(text)]
        known = {word for entity in found for words in entity.words for word in words.split()}
        return [*found, *(entity for entity in find_numbers(text) if entity.words.isdisjoint(known))]

    return Entities(TYPES, lambda texts: list(map(find, texts)))


def read_lists(path: str) -> Entities:
    """Read lists from a file, as entities of the types that it has; raises `UsageError` if it holds something else."""
    try:
        if Path(path).stat().st_size > _MAX_BYTES:
            raise UsageError(f"{path} is larger than {_MAX_BYTES // 1_000_000} MB: too large for lists of names")
    except (OSError, ValueError) as error:
        raise UsageError(
            f"can't read the named entities in {path}: {getattr(error, 'strerror', None) or error}"
        ) from error
    table = read_toml(path)
    lists = {name: list_of_strings(entries, f"{path}: {name}") for name, entries in table.items()}
    whole = lists.pop(_WHOLE, ())
    for name in whole:
        if name not in lists:
            raise UsageError(f"{path}: {_WHOLE} names {name!r}, of which there is no list")
    for name, entries in lists.items():
        for entry in entries:
            if len(entry) > _MAX_ENTRY or not any(map(str.isalnum, entry)):
                raise UsageError(
                    f"{path}: {name} has {entry[:40]!r}: a name has letters or digits, and at most "
                    f"{_MAX_ENTRY} characters"
                )
    if not any(lists.values()):
        raise UsageError(f'{path} has no lists of names, such as person = ["Jane Miller"]')
    return Entities.of_lists(lists, whole)
