"""What is wrong when a store does not answer as it should: something that passes, or one sentence that says what to do.

Libraries raise errors of many kinds for the same few things. Here they are told apart by what they carry: the code and
the status of an answer, or the kind of a broken connection.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gristmill.errors import GristmillError, UsageError
from gristmill.stores.address import Address, without_secrets
from gristmill.wording import one_line

_PASSING_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504, 509})
_PASSING_CODES = frozenset(
    "SlowDown InternalError ServiceUnavailable RequestTimeout Throttling ThrottlingException RequestLimitExceeded "
    "TooManyRequestsException BandwidthLimitExceeded RequestTimeoutException OperationAborted".split()
)
_PASSING_NUMBERS = frozenset(
    {errno.ECONNRESET, errno.ECONNABORTED, errno.ECONNREFUSED, errno.EPIPE, errno.ETIMEDOUT, errno.EBUSY}
    | {errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENETDOWN, errno.EAGAIN, getattr(errno, "EREMOTEIO", errno.EAGAIN)}
)
_PASSING_ERRORS = (ConnectionError, TimeoutError)
_PASSING_NAMES = frozenset(
    "ClientConnectionError ClientConnectorError ServerDisconnectedError ClientPayloadError ClientOSError "
    "ConnectionClosedError ConnectTimeoutError ReadTimeoutError EndpointConnectionError HTTPClientError "
    "ResponseStreamingError IncompleteReadError IncompleteRead FSTimeoutError ResponseParserError "
    "ProxyConnectionError ServerTimeoutError SSLError HTTPException gaierror FlexibleChecksumError "
    "ChecksumError".split()
)
"""Kinds of errors of aiohttp, botocore, fsspec and Python's own modules, which are not imported for their names."""
_CREDENTIALS = frozenset(
    "NoCredentialsError PartialCredentialsError CredentialRetrievalError TokenRetrievalError UnauthorizedSSOTokenError "
    "SSOTokenLoadError ProfileNotFound DefaultCredentialsError RefreshError NoAuthTokenError".split()
)
_MAX_DETAIL_CHARACTERS = 300
HOW_TO_SIGN_IN = {
    "s3": "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY or AWS_PROFILE, or run `aws configure`; "
    "for a bucket that is open to all set FSSPEC_S3_ANON=true; "
    "for a store that is not Amazon's set AWS_ENDPOINT_URL, too",
    "gs": "set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`",
    "abfs": "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_CONNECTION_STRING",
    "https": "give a link that is signed, or the name and the password in the address (https://name:password@host/...)",
}
HOW_TO_SIGN_IN |= {"s3a": HOW_TO_SIGN_IN["s3"], "gcs": HOW_TO_SIGN_IN["gs"], "http": HOW_TO_SIGN_IN["https"]}
HOW_TO_SIGN_IN |= dict.fromkeys(("az", "abfss", "adl"), HOW_TO_SIGN_IN["abfs"])


class StoreError(GristmillError):
    """The error that something in a store can't be read or written, in one sentence that says what to do.

    It is no error of what the bytes say: readers of archives let it pass, as what could not be read is not broken.
    """


class WrongUseError(StoreError, UsageError):
    """The error that a store can't be asked at all: it is unknown, or its library or a setting is missing."""


class MissingError(StoreError, UsageError):
    """The error that there is no such object, bucket or host."""


class RefusedError(StoreError, UsageError):
    """The error that the store refuses the request: no credentials, wrong ones, or ones without the right."""


class ChangedError(StoreError):
    """The error that an object is not what it was, or is there already where none was expected."""


_WRONG_KEYS = (RefusedError, "the store does not accept these credentials for {address}{code}: {how}")
_EXPIRED = (RefusedError, "the credentials for {address} are no longer valid: get new ones and run this again")
_DENIED = (RefusedError, "access to {address} is denied{code}: {how}")
_MISSING = (MissingError, "there is no {address}")
_CHANGED = (ChangedError, "{address} has changed meanwhile, or is there already")
_ELSEWHERE = (StoreError, "{address} is in another region: set AWS_REGION to that of the bucket")
_FINAL: dict[str, tuple[type[StoreError], str]] = {
    "NoSuchBucket": (MissingError, "there is no bucket {bucket} ({address}); check its name and AWS_ENDPOINT_URL"),
    "NoSuchKey": _MISSING,
    "RequestTimeTooSkewed": (RefusedError, "the store refuses {address}, as the clock of this machine is wrong"),
    "PreconditionFailed": _CHANGED,
    "401": _DENIED,
    "403": _DENIED,
    "404": _MISSING,
    "410": _MISSING,
    "412": _CHANGED,
    "416": (ChangedError, "{address} is shorter than it was"),
    **dict.fromkeys(("301", "307", "308"), _ELSEWHERE),
    **dict.fromkeys(("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestExpired"), _EXPIRED),
    **dict.fromkeys(
        ("InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "InvalidClientTokenId"), _WRONG_KEYS
    ),
}
"""What codes and, where there is none of these, statuses of answers mean that no repetition changes."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a request."""

    error: StoreError
    """The error to raise if it is not tried again."""
    passes: bool = False
    """Whether the same request may succeed a little later."""
    wait: float | None = None
    """The seconds after which the server wants to be asked again, if it said so."""


def problem_of(error: BaseException, address: Address) -> Problem:
    """Tell what an error of a request to a store means."""
    if isinstance(error, StoreError):
        return Problem(error)
    chain = list(_chain(error))
    status, code, headers = _answer(chain)
    if code in _PASSING_CODES or status in _PASSING_STATUS:
        said = " ".join(["the store answers", str(status or ""), "" if code.isdigit() else code]).strip()
        return Problem(_unreachable(address, said), passes=True, wait=_retry_after(headers))
    if final := _refused(address, status, code) or _without_answer(chain, address):
        return Problem(final)
    names = {kind.__name__ for link in chain for kind in type(link).__mro__}
    if names & _PASSING_NAMES or any(_passes(link) for link in chain):
        return Problem(_unreachable(address, _detail(chain[-1], address)), passes=True)
    return Problem(StoreError(f"{address}: {_detail(error, address)}"))


def _without_answer(chain: list[BaseException], address: Address) -> StoreError | None:
    """The error for what fails before the store has answered, or for which libraries have errors of Python's own."""
    for link in chain:
        if {kind.__name__ for kind in type(link).__mro__} & _CREDENTIALS:
            return RefusedError(f"no credentials for {address}: {_sign_in(address)}")
        if type(link).__name__ == "SSLCertVerificationError":
            why = getattr(link, "verify_message", "")
            return StoreError(f"the certificate of {address.bucket} is not valid: {why}")
    if isinstance(chain[0], FileNotFoundError):
        return _refused(address, 404, "")
    return _refused(address, 403, "") if isinstance(chain[0], PermissionError) else None


def is_damage(error: BaseException) -> bool:
    """Whether an error says that the bytes that came are not those that were sent."""
    return any("Checksum" in type(link).__name__ for link in _chain(error))


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that it was raised from; libraries wrap what says most."""
    seen: set[int] = set()
    found: Any = error
    while isinstance(found, BaseException) and id(found) not in seen:
        seen.add(id(found))
        yield found
        reason = getattr(found, "reason", None)  # as `urllib.error.URLError` has it
        found = found.__cause__ or (reason if isinstance(reason, BaseException) else None) or found.__context__


def _passes(error: BaseException) -> bool:
    return isinstance(error, _PASSING_ERRORS) or (isinstance(error, OSError) and error.errno in _PASSING_NUMBERS)


def _answer(chain: list[BaseException]) -> tuple[int, str, Mapping[str, str]]:
    """Find the status, the code and the headers of the answer that an error stands for; 0 and nothing without one."""
    for link in chain:
        response = getattr(link, "response", None)
        if isinstance(response, Mapping):  # botocore's
            said, about = response.get("Error") or {}, response.get("ResponseMetadata") or {}
            code = str(said.get("Code") or "")
            status = int(about.get("HTTPStatusCode") or (code if code.isdigit() else 0) or 0)
            return status, code, dict(about.get("HTTPHeaders") or {})
        found = next((value for name in ("status", "code") if isinstance(value := getattr(link, name, None), int)), 0)
        is_answer = "HttpProcessingError" not in {kind.__name__ for kind in type(link).__mro__}  # aiohttp's, of its own
        if is_answer and 300 <= found < 600:
            return found, "", dict(getattr(link, "headers", None) or {})
    return 0, "", {}


def _refused(address: Address, status: int, code: str) -> StoreError | None:
    """The error for an answer that no repetition changes; None if it says nothing of that kind."""
    found = _FINAL.get(code) or _FINAL.get(str(status))
    if found is None:
        return StoreError(f"the store answers {status} {code} for {address}") if 400 <= status < 600 else None
    kind, message = found
    shown = "" if code.isdigit() or not code else f" ({code})"
    return kind(message.format(address=address, bucket=address.bucket, code=shown, how=_sign_in(address)))


def _unreachable(address: Address, why: str) -> StoreError:
    return StoreError(f"{address} can't be reached just now ({why}); run the same command again later")


def _sign_in(address: Address) -> str:
    return HOW_TO_SIGN_IN.get(address.scheme, "give the credentials as the fsspec library wants them")


def _detail(error: BaseException, address: Address) -> str:
    said = without_secrets(one_line(str(error)), address)
    return f"{type(error).__name__}: {said}"[:_MAX_DETAIL_CHARACTERS] if said else type(error).__name__


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Read how long a server wants to be left alone: seconds, or a time of day."""
    said = next((value for name, value in headers.items() if name.lower() == "retry-after"), "").strip()
    if said.isascii() and said.isdigit():
        return float(said)
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 (takes long to import, and few servers say a time)

    try:
        when = parsedate_to_datetime(said) if said else None
    except ValueError:
        return None
    now = next((value for name, value in headers.items() if name.lower() == "date"), "")
    try:
        return max(0.0, (when - parsedate_to_datetime(now)).total_seconds()) if when and now else None
    except (ValueError, TypeError):
        return None
