"""The loops that read every byte of a page, as one set of plain Python files that are also compiled to C.

    tokens.py       find the tags of a page, by the HTML standard        <p class=a>Hi  ->  one tag, text behind it
    blocks.py       follow elements, leave out what is hidden, cut the text between tags into blocks
    text.py         write the text of blocks: references resolved, white space folded, words counted
    references.py   resolve character references                         &eacute;  ->  é
    utf8.py         tell whether bytes are UTF-8 that needs no tidying
    mill.py         fill the feature columns of the method `mill`, and run its trees

Beside each stands a `.pxd` file that says which of its variables are C integers; Cython makes a module of both, in
`compiled/`. All take and return arrays and bytes, for a whole page at once. Import the functions from here: they are
the compiled ones where these are there, and otherwise those of the Python files, which do the same.
"""

from __future__ import annotations

from gristmill.kernel.loading import load

COMPILED = load("tokens") is not None
"""Whether the kernel is compiled."""
