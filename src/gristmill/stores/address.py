"""The address of a file or a folder that is not on this machine: `s3://bucket/key`, `https://example.org/a.warc.gz`.

An address may hold secrets: a password, or the signature of a link that is valid for some hours. As text (`str`) it is
without them, so that no message, log or corpus has them by accident; only `full` has them, for requests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gristmill.errors import UsageError

_ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]+)://(?P<rest>.*)", re.IGNORECASE | re.DOTALL)
_USER = re.compile(r"[^/?#]*@")
_SECRET = re.compile(
    r"sig|token|secret|passw|pwd|auth|cred|session|api.?key|access.?key|^key$|^x-(?:amz|goog|ms)-|key-pair|policy"
    r"|expires",
    re.IGNORECASE,
)
"""What the name of a parameter looks like whose value may be a secret, or makes sense with one only."""
_MAX_SHOWN_CHARACTERS = 64
"""A longer value of a parameter is not shown either: it may be a secret under another name."""
_WEB = frozenset({"http", "https"})


@dataclass(frozen=True, slots=True, repr=False)
class Address:
    """The address of a file or a folder in a store; percent-encoding is left as it is."""

    scheme: str
    """What stands before `://`, in small letters."""
    rest: str
    """What stands behind it, with all that may be secret."""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address; raises `UsageError` if the text is none."""
        match = _ADDRESS.match(text)
        if not match or not match["rest"].strip("/"):
            raise UsageError(f"{_without_secrets('', text)!r} is no address such as s3://bucket/folder/file.warc.gz")
        address = cls(match["scheme"].lower(), match["rest"])
        if not address.is_web and address.scheme in {"s3", "s3a", "gs", "gcs"} and _USER.match(address.rest):
            raise UsageError(
                f"{address} is given with credentials in it, which is not supported: "
                "give them in the environment (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                "GOOGLE_APPLICATION_CREDENTIALS)"
            )
        return address

    @property
    def is_web(self) -> bool:
        """Whether it is that of a web server, where `?` and `#` end the path; keys of stores may have these signs."""
        return self.scheme in _WEB

    @property
    def full(self) -> str:
        """The address with its secrets, for requests and nothing else."""
        return f"{self.scheme}://{self.rest}"

    @property
    def path(self) -> str:
        """The host or bucket and the path behind it, without user, parameters and fragment."""
        rest = re.split(r"[?#]", self.rest, maxsplit=1)[0] if self.is_web else self.rest
        return _USER.sub("", rest, count=1)

    @property
    def bucket(self) -> str:
        """The first part: the bucket of a store, the host of a server."""
        return self.path.partition("/")[0]

    @property
    def key(self) -> str:
        """What follows the bucket or host, without the slash between."""
        return self.path.partition("/")[2]

    @property
    def name(self) -> str:
        """The last part: the name of the file or folder."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def parent(self) -> Address:
        """The folder that it is in; that of a bucket is the bucket itself."""
        path, behind = self._halves()
        above = path.rstrip("/").rpartition("/")[0] or path
        return Address(self.scheme, above + behind)

    def join(self, *names: str) -> Address:
        """The address of something below it: `join("shards", "00000")`."""
        path, behind = self._halves()
        return Address(self.scheme, "/".join([path.rstrip("/"), *(name.strip("/") for name in names)]) + behind)

    def _halves(self) -> tuple[str, str]:
        """Split the address into its path, with a user, and the parameters behind."""
        at = re.search(r"[?#]", self.rest) if self.is_web else None
        return (self.rest[: at.start()], self.rest[at.start() :]) if at else (self.rest, "")

    def __str__(self) -> str:
        return _without_secrets(f"{self.scheme}://", self.rest, web=self.is_web)

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"


def _without_secrets(scheme: str, rest: str, *, web: bool = True) -> str:
    begin, mark, rest = rest.partition("://") if not scheme else (scheme, "", rest)
    if not mark and not scheme:
        begin, rest = "", begin
    rest = _USER.sub("", rest, count=1)
    if web:
        rest = rest.partition("#")[0]
        path, _, query = rest.partition("?")
        shown = [item for item in query.split("&") if item and not _is_secret(item)]
        rest = path + ("?" + "&".join(shown) if shown else "")
    return begin + mark + rest


def _is_secret(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    return bool(_SECRET.search(name)) or len(value) > _MAX_SHOWN_CHARACTERS


def without_secrets(text: str, address: Address) -> str:
    """Take the secrets of an address out of a message of a library that may quote it."""
    text = text.replace(address.full, str(address))
    for part in (_USER.match(address.rest), re.search(r"\?.*", address.rest) if address.is_web else None):
        if part:
            text = text.replace(part[0], "")
    return text
