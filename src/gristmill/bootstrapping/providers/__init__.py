"""Search providers: what answers a query with addresses."""

from typing import TYPE_CHECKING

from gristmill.lazy import lazy_names

if TYPE_CHECKING:
    from gristmill.bootstrapping.providers.provider import Provider, ProviderError, Result
    from gristmill.bootstrapping.providers.registry import PROVIDERS, provider_of, trusted_of

__all__ = ["PROVIDERS", "Provider", "ProviderError", "Result", "provider_of", "trusted_of"]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "provider": ("Provider", "ProviderError", "Result"),
        "registry": ("PROVIDERS", "provider_of", "trusted_of"),
    },
)
