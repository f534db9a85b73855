"""The store behind an address, as a file system of the library fsspec, with settings for long unattended work.

It asks the store anew each time, as listings that are remembered go stale, and it does not try again by itself: each
request is made through `retried` or `Patience`, so that there is one policy.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

from gristmill.stores.address import Address
from gristmill.stores.errors import WrongUseError, problem_of

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

CONNECT_SECONDS = 10
READ_SECONDS = 60
"""A connection on which nothing comes for so long is broken."""
_CONNECTIONS = 64
_PACKAGES = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs"} | dict.fromkeys(
    ("az", "abfs", "abfss", "adl"), "adlfs"
)
_open: dict[tuple[int, str, tuple[tuple[str, str], ...]], AbstractFileSystem] = {}
_lock = threading.Lock()


def filesystem_of(address: Address) -> AbstractFileSystem:
    """Open the store of an address; one of each process is used again.

    Credentials come from where the store's own tools look for them: environment variables, files in the home folder,
    the machine's role; and from fsspec's settings (`FSSPEC_S3_ENDPOINT_URL`...).
    """
    kind = _class_of(address)
    given = {**kind._get_kwargs_from_urls(address.full), **_settings(address.scheme)}  # noqa: SLF001 (as fsspec does)
    environment = tuple((name, os.environ[name]) for name in sorted(os.environ) if name.startswith(("AWS_", "FSSPEC_")))
    # Addresses of one bucket or host share connections; a version in an address or other credentials make another one.
    key = (os.getpid(), f"{address.scheme}://{address.bucket} {sorted(map(str, given.items()))}", environment)
    with _lock:
        if key not in _open:
            try:
                _open[key] = kind(**given, use_listings_cache=False, skip_instance_cache=True)
            except Exception as error:
                raise problem_of(error, address).error from error
            if address.scheme in {"s3", "s3a"}:
                _open[key].retries = 1
        return _open[key]


def path_of(address: Address) -> str:
    """The path by which the file system of an address knows it."""
    return str(_class_of(address)._strip_protocol(address.full))  # noqa: SLF001 (as fsspec does)


def _class_of(address: Address) -> type[AbstractFileSystem]:
    try:
        import fsspec  # noqa: PLC0415 (an extra)
    except ImportError:
        raise WrongUseError(f"{address}: this store needs a library: pip install 'gristmill[stores]'") from None
    if address.scheme not in fsspec.available_protocols():
        raise WrongUseError(
            f"{address}: no store is known by {address.scheme}://; try s3://, gs://, abfs:// or https://"
        )
    try:
        found: type[AbstractFileSystem] = fsspec.get_filesystem_class(address.scheme)
    except ImportError as error:
        package = _PACKAGES.get(address.scheme)
        how = "gristmill[stores]" if package == "s3fs" else package
        raise WrongUseError(f"{address} needs a library: " + (f"pip install '{how}'" if how else str(error))) from error
    return found


def _settings(scheme: str) -> dict[str, Any]:
    if scheme in {"s3", "s3a"}:
        return {
            "config_kwargs": {
                "connect_timeout": CONNECT_SECONDS,
                "read_timeout": READ_SECONDS,
                "retries": {"total_max_attempts": 1, "mode": "standard"},
                "max_pool_connections": _CONNECTIONS,
            }
        }
    return {}
