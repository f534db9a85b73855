"""Object stores and web servers: files that have an address (`s3://bucket/key`) in place of a path.

`address` is what an address is, `filesystem` opens the store behind one, `patience` tries again what failed in passing,
and `errors` says in words what did not. `reading` gives an object as a file that can be read.
"""

from __future__ import annotations

from gristmill.arguments import is_address
from gristmill.stores.address import Address
from gristmill.stores.errors import StoreError
from gristmill.stores.filesystem import filesystem_of
from gristmill.stores.patience import Patience, retried

__all__ = ["Address", "Patience", "StoreError", "filesystem_of", "is_address", "retried"]
