"""A synthetic web on the loopback, made from a seed: hundreds of sites of every kind, and the truth about them.

`LocalWeb` says what there is and what is true of it; `ServedWeb` serves it in a process of its own, over HTTP and
HTTPS, and has the log of all requests; `violations` finds what in that log goes against manners.
"""

from localweb.log import Visit, read_log, trapped, violations
from localweb.newspapers import NewspaperWeb
from localweb.process import ServedWeb
from localweb.server import Server
from localweb.topics import TopicWeb
from localweb.uniform import UniformWeb
from localweb.web import LocalWeb, Totals, Truth

__all__ = [
    "LocalWeb",
    "NewspaperWeb",
    "ServedWeb",
    "Server",
    "TopicWeb",
    "Totals",
    "Truth",
    "UniformWeb",
    "Visit",
    "read_log",
    "trapped",
    "violations",
]
