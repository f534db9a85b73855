"""Check an installed wheel, as `cibuildwheel` does with each that it builds: its kernel is compiled, and cleans."""

from __future__ import annotations

from importlib import resources

import gristmill
from gristmill.kernel import COMPILED

PAGE = "<title>Mills</title><nav><a href=/>Home</a> <a href=/about>About</a></nav><p>{}</p>"
TEXT = "The miller lifted the sluice, and after a while the great wheel began to turn, slowly at first. " * 3

if not COMPILED:
    raise SystemExit("the kernel is not compiled")
for file in ("templates/base.html", "static/style.css", "static/app.js"):
    if not resources.files("gristmill").joinpath("web", file).is_file():
        raise SystemExit(f"the web app lacks {file}")
document = gristmill.clean(PAGE.format(TEXT))
if document.text.strip() != TEXT.strip():
    raise SystemExit(f"the page is not clean: {document.text!r}")
print(f"gristmill {gristmill.__version__} cleans with the compiled kernel")
