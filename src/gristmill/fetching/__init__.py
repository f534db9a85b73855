"""Get pages over HTTP, safely and with manners: addresses, name resolution, the client, robots.txt.

Nothing here knows what a crawl is. A request goes to one network address that was checked before, and comes back as an
`Exchange` with the bytes of the wire, or as a `Failure` with a reason.
"""
