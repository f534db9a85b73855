"""Find the files behind an address: a file, all below a folder, or those that a pattern matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gristmill.stores.address import Address
from gristmill.stores.errors import MissingError, RefusedError
from gristmill.stores.other import list_other
from gristmill.stores.reading import describe
from gristmill.stores.s3 import SCHEMES, list_s3
from gristmill.stores.stored import Stored

_MAGIC = re.compile(r"[*?\[]")


def find_stored(address: Address) -> list[Stored]:
    """Find the files behind an address, in the order in which those on a disk would be found; raises if there are none.

    A folder is what stands before a slash in the keys of objects. In patterns, `*` and `?` stand for what is within a
    name, and `**` for any number of folders. Hidden files, whose names begin with a dot, are left out.
    """
    if address.key and not address.rest.endswith("/"):
        try:
            return [describe(address)]
        except (MissingError, RefusedError):  # without the right to list, stores refuse what is not there
            if address.is_web:
                raise
    found = _matching(address) if _MAGIC.search(address.key) else _below(address)
    if not found:
        raise MissingError(f"there is no file or folder {address}")
    return found


def _below(folder: Address) -> list[Stored]:
    """List all files below a folder, sorted by the names of folders and files, as paths are."""
    prefix = folder.key.rstrip("/") + "/" if folder.key.strip("/") else ""
    found = [item for item in _listed(folder, prefix) if not _is_hidden(item.address.key[len(prefix) :])]
    return sorted(found, key=_parts)


def _matching(pattern: Address) -> list[Stored]:
    """List all files that a pattern matches, and those below folders that it matches."""
    magic = _MAGIC.search(pattern.key)
    prefix = pattern.key[: magic.start()] if magic else pattern.key
    match = _compiled(pattern.key.rstrip("/"))
    found = [(matched, item) for item in _listed(pattern, prefix) if (matched := match(item.address.key))]
    kept = [(matched, item) for matched, item in found if not _is_hidden(item.address.key[len(matched) :])]
    return [item for _, item in sorted(kept, key=lambda pair: (pair[0], _parts(pair[1])))]


def _compiled(pattern: str) -> Callable[[str], str]:
    """Make a function that gives the part of a key that is matched: all of it, or a folder that it is in."""
    pieces = []
    for part in pattern.split("/"):
        if part == "**":
            pieces.append(r"(?:[^/.][^/]*/)*?")
            continue
        # As on a disk, names with a dot before them are matched only by a pattern that has it.
        dot = "" if part.startswith(".") or not _MAGIC.match(part) else r"(?!\.)"
        pieces.append(dot + "".join(map(_sign, re.findall(r"\[[^\]]+\]|.", part))) + "/")
    whole = "".join(pieces)
    whole = whole.removesuffix("/") if whole.endswith("/") else whole + r"(?!\.)[^/]*"
    expression = re.compile(whole + r"(?=/|\Z)")

    def match(key: str) -> str:
        found = expression.match(key)
        return found[0] if found else ""

    return match


def _sign(sign: str) -> str:
    if sign in {"*", "?"}:
        return "[^/]*" if sign == "*" else "[^/]"
    if len(sign) > 1:
        return (
            "[" + ("^" if sign[1] == "!" else "") + re.escape(sign[1 + (sign[1] == "!") : -1]).replace(r"\-", "-") + "]"
        )
    return re.escape(sign)


def _listed(address: Address, prefix: str) -> Iterator[Stored]:
    bucket = Address(address.scheme, address.bucket)
    return list_s3(bucket, prefix) if address.scheme in SCHEMES else list_other(bucket, prefix)


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _parts(item: Stored) -> list[str]:
    return item.address.key.split("/")
