"""Headers of all answers: nothing from elsewhere is loaded, nothing is shown within a page of somebody else."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""The policy of all pages: only scripts, styles and pictures of this server, nothing in line."""
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers send forms of our own pages with the origin "null"
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""The headers of all answers, unless they have others of these names."""


def add_headers(headers: MutableHeaders) -> None:
    """Add what is missing; an answer that has one of these keeps its own."""
    for name, value in HEADERS.items():
        headers.setdefault(name, value)
