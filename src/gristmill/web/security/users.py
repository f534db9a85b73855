"""Who asks: users with a name, a role and a password, in a file with a line for each: `name:role:hash`.

A hash is `scrypt$N$r$p$salt$key` (RFC 7914), salt and key in base 64: who gets the file can't log in with it, and has
to try passwords one by one, for a tenth of a second and 32 MB each.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import os
import secrets
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gristmill.drafts import Draft
from gristmill.errors import GristmillError, UsageError
from gristmill.operations.declaration import ROLES

_LOG = logging.getLogger(__name__)
MAX_NAME_CHARACTERS = 60
MIN_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS = 8, 200
_N, _R, _P = 2**15, 8, 1
_MAX_COST = 2**21
"""Of a hash in a file, N·r·p; one with more would keep the server busy, and take its memory."""
_KEY_BYTES, _SALT_BYTES = 32, 16
_MAX_FILE_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class User:
    """Somebody who uses the app; without users everybody on this machine is the owner, under a name of their choice."""

    name: str
    role: str

    def may(self, role: str) -> bool:
        """Tell whether the user may do what this role can."""
        return ROLES.index(self.role) >= ROLES.index(role)


OWNER = User("", "owner")
"""Whoever uses a server that only this machine reaches, or knows its token."""


def hash_password(password: str) -> str:
    """Make the hash of a password, with a new salt."""
    salt = secrets.token_bytes(_SALT_BYTES)
    key = _scrypt(password, salt, _N, _R, _P)
    return "$".join(["scrypt", str(_N), str(_R), str(_P), *(base64.b64encode(part).decode() for part in (salt, key))])


def _scrypt(password: str, salt: bytes, n: int, r: int, p: int) -> bytes:
    text = unicodedata.normalize("NFC", password).encode("utf-8", "surrogatepass")
    return hashlib.scrypt(text, salt=salt, n=n, r=r, p=p, maxmem=192 * n * r * p + 2**20, dklen=_KEY_BYTES)


def _parts(hashed: str) -> tuple[int, int, int, bytes, bytes]:
    """Take a hash apart; raises ValueError if it is none, or one that takes too long."""
    kind, n, r, p, salt, key = hashed.split("$")
    numbers = int(n), int(r), int(p)
    cost = numbers[0] * numbers[1] * numbers[2]
    if kind != "scrypt" or min(numbers) < 1 or numbers[0] & (numbers[0] - 1) or numbers[0] < 2 or cost > _MAX_COST:
        raise ValueError(hashed)
    decoded = base64.b64decode(salt, validate=True), base64.b64decode(key, validate=True)
    if len(decoded[1]) != _KEY_BYTES:
        raise ValueError(hashed)
    return *numbers, *decoded


def _matches(password: str, hashed: str) -> bool:
    n, r, p, salt, key = _parts(hashed)
    return hmac.compare_digest(_scrypt(password, salt, n, r, p), key)


_NOBODY = "$".join(
    ["scrypt", str(_N), str(_R), str(_P), base64.b64encode(bytes(16)).decode(), base64.b64encode(bytes(32)).decode()]
)
"""A hash of no password, against which the passwords of unknown names are tried, so that these take as long."""


def check_name(name: str) -> str:
    """Return the name of a user in its normal form; raises if it can't be one."""
    found = unicodedata.normalize("NFC", name).strip()
    if not 1 <= len(found) <= MAX_NAME_CHARACTERS or not found.isprintable() or ":" in found or found.startswith("#"):
        raise UsageError(
            f"the name of a user has 1 to {MAX_NAME_CHARACTERS} characters, without colons, and does not begin with #"
        )
    return found


@dataclass(frozen=True, slots=True)
class _Entry:
    user: User
    hashed: str


class Users:
    """The users in a file. It is read again when it has changed, so that one who is removed is out at once."""

    def __init__(self, path: Path) -> None:
        """Read a file of users; raises if it can't be used."""
        self._path = path
        self._state = _state(path)
        self._entries = _read(path)
        if not self._entries:
            raise UsageError(f"{path} has no users: add one with `gristmill serve --add-user NAME --users {path}`")

    def get(self, name: str) -> tuple[User, str] | None:
        """Find a user by name, with the hash of the password."""
        self._look_again()
        entry = self._entries.get(name)
        return (entry.user, entry.hashed) if entry else None

    def check(self, name: str, password: str) -> User | None:
        """Find the user with a name and a password; it takes as long if there is none of that name."""
        try:
            known = self.get(check_name(name))
        except UsageError:
            known = None
        right = _matches(password[:MAX_PASSWORD_CHARACTERS], known[1] if known else _NOBODY)
        return known[0] if known and right else None

    def _look_again(self) -> None:
        try:
            state = _state(self._path)
            if state != self._state:
                self._entries = _read(self._path)
                self._state = state
        except GristmillError as error:  # being written, or damaged: those that are known stay
            _LOG.warning("%s", error)


def _state(path: Path) -> tuple[int, int, int]:
    try:
        about = path.stat()
    except OSError as error:
        raise UsageError(
            f"can't read {path}: {error.strerror}; `gristmill serve --add-user NAME --users {path}` makes it"
        ) from error
    return about.st_ino, about.st_mtime_ns, about.st_size


def _read(path: Path) -> dict[str, _Entry]:
    try:
        with path.open("rb") as file:
            text = file.read(_MAX_FILE_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"can't read {path}: {error}") from error
    found: dict[str, _Entry] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            name, role, hashed = line.strip().split(":")
            _parts(hashed)
            name = check_name(name)
        except (ValueError, UsageError) as error:
            raise UsageError(f"{path}, line {number}: it must be name:role:hash") from error
        if role not in ROLES:
            raise UsageError(f"{path}, line {number}: the role must be one of {', '.join(ROLES)}")
        found[name] = _Entry(User(name, role), hashed)
    return found


def add_user(path: Path, name: str, role: str, password: str) -> bool:
    """Add a user to a file, or give one another role and password; tells whether the user is new."""
    name = check_name(name)
    if role not in ROLES:
        raise UsageError(f"the role must be one of {', '.join(ROLES)}")
    if not MIN_PASSWORD_CHARACTERS <= len(password) <= MAX_PASSWORD_CHARACTERS:
        raise UsageError(f"a password has {MIN_PASSWORD_CHARACTERS} to {MAX_PASSWORD_CHARACTERS} characters")
    entries = _read(path) if path.exists() else {}
    is_new = name not in entries
    entries[name] = _Entry(User(name, role), hash_password(password))
    _write(path, entries.values())
    return is_new


def _write(path: Path, entries: Iterable[_Entry]) -> None:
    text = "".join(f"{entry.user.name}:{entry.user.role}:{entry.hashed}\n" for entry in entries)
    try:
        with Draft(path) as draft, open(draft.descriptor, "wb", closefd=False) as file:
            if hasattr(os, "fchmod"):
                os.fchmod(draft.descriptor, 0o600)
            file.write(text.encode())
    except OSError as error:
        raise GristmillError(f"can't write {path}: {error.strerror or error}") from error
