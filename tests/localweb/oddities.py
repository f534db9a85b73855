"""Sites of redirects, of misbehaving servers, of odd sizes and types, and of malicious names and addresses."""

from __future__ import annotations

from html import escape

from localweb import prose
from localweb.answer import Answer, moved, not_found
from localweb.articles import ArticleSite
from localweb.site import Site
from localweb.template import Anchors

CHAIN = 10
UNTOUCHABLE_TARGETS = (
    "http://169.254.169.254/latest/meta-data/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://10.0.0.1/admin",
    "http://192.168.1.1/",
    "http://0.0.0.0/",
    "http://localhost/",
    "http://224.0.0.1/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,<p>x",
    "ftp://ftp.example.org/",
    "gopher://example.org/1",
)
"""Where no request may ever go."""

PATHS = (
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/a%00b",
    "/%1b%5d0;pwned%07%1b%5b31m",
    "/a%0d%0aSet-Cookie:%20x=1",
    "/" + "dlouha-" * 700,
    "/příliš žluťoučký kůň",
    '/"quoted"\'<b>',
    "/%ff%fe%80",
    "/%",
    "/%zz",
    "/;;;;",
    "//example.com//a",
    "/CON.html",
    "/a\tb",
    "/\u202etxt.exe",
    "/?" + "&".join(f"p{number}={number}" for number in range(120)),
)
"""Paths that are meant to do harm, as they stand in links."""


class RedirectSite(ArticleSite):
    """A page of redirects: by every status, relative and to other hosts, chains, loops, and to where none may go."""

    @property
    def targets(self) -> dict[str, Answer]:
        """The redirects, by path."""
        article = self.path(0)
        result = {f"/r/{status}": moved(self.origin + article, status) for status in (301, 302, 303, 307, 308)}
        result |= {"/r/relative": moved(article, 302), "/r/dots": moved(f"x/../..{article}"), "/r/empty": moved("")}
        result |= {f"/r/out-{at}": moved(url) for at, url in enumerate(self.plan.outward[:4])}
        result |= {f"/chain/{at}": moved(f"/chain/{at + 1}", 302) for at in range(CHAIN)}
        result |= {f"/chain/{CHAIN}": moved(self.path(1)), "/loop/a": moved("/loop/b"), "/loop/b": moved("/loop/a")}
        result |= {"/loop/self": moved("/loop/self", 307)}
        result |= {f"/away/{at}": moved(url, 302) for at, url in enumerate(UNTOUCHABLE_TARGETS)}
        return result

    def trap(self, target: str) -> str:
        return "redirect-loop" if target.startswith("/loop/") else ""

    def page(self, target: str) -> Answer:
        answer = self.targets.get(target)
        if answer is None:
            answer = super().page(target)
            if target == "/":
                anchors = Anchors(self.origin)
                rows = anchors.ul([(path, path) for path in self.targets if path not in {"/loop/b", *self.inside}])
                rows += "".join(f'<a href="{escape(url)}">{escape(url)}</a>\n' for url in UNTOUCHABLE_TARGETS)
                answer.body = answer.body.replace(b"<main>", b"<main>" + rows.encode(), 1)
                answer.links += tuple(anchors.links)
        elif answer.headers[0][1].startswith("/"):
            answer.links = (self.origin + answer.headers[0][1],)
        return answer

    @property
    def inside(self) -> set[str]:
        """Addresses that only redirects lead to."""
        return {f"/chain/{at}" for at in range(1, CHAIN + 1)}


class FaultySite(ArticleSite):
    """A sound front page; all else misbehaves in the way of the variant. If that begins with `!`, all does."""

    statuses = ("500", "502", "404", "403", "401", "410", "204", "304", "206", "418", "999")

    def page(self, target: str) -> Answer:
        answer = super().page(target)
        way = self.plan.variant.removeprefix("!")
        if target == "/" and way == self.plan.variant:
            return answer
        answer.text, answer.links = (), ()
        answer.kind = "faulty"
        if way in self.statuses:
            answer.status = int(way)
        else:
            answer.behaviour = way
        return answer


class SizeSite(ArticleSite):
    """Articles that are shorter than 5 kB, or longer than 2 MB with or without a length in the header."""

    def page(self, target: str) -> Answer:
        answer = super().page(target)
        if answer.kind != "article":
            return answer
        answer.kind = self.plan.variant
        if self.plan.variant == "short":
            paragraph = f"<p>{answer.text[-1]}</p>"
            answer.body = f'<!DOCTYPE html><html lang="cs"><title>x</title><a href="/">x</a>{paragraph}'.encode()
            answer.text, answer.links = answer.text[-1:], (self.origin + "/",)
        else:
            answer.body += b"<!-- " + b"padding " * 320_000 + b"-->"
            answer.coding = "chunked" if self.plan.variant == "long-chunked" else ""
        return answer


class TypeSite(Site):
    """Links to files: with a suffix that says so, and without one; and pages whose type is not what they say."""

    files: tuple[tuple[str, str, bytes], ...] = (
        ("/obrazek.png", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("/fotka.JPG", "image/jpeg", b"\xff\xd8\xff\xe0"),
        ("/zprava.pdf", "application/pdf", b"%PDF-1.7\n"),
        ("/data.zip", "application/zip", b"PK\x03\x04"),
        ("/program.exe", "application/octet-stream", b"MZ"),
        ("/film.mp4?kvalita=1", "video/mp4", b"\0\0\0\x18ftyp"),
        ("/stahnout/1", "application/pdf", b"%PDF-1.7\n"),
        ("/stahnout/2", "image/png", b"\x89PNG\r\n\x1a\n"),
        ("/stahnout/3", "", b"\x7fELF\x02\x01"),
        ("/json", "application/json", b'{"a": ['),
        ("/styl.css", "text/css", b"a { color: red }"),
        ("/feed", "application/rss+xml", b"<rss><channel>"),
        ("/prosty.txt", "text/plain", b"text "),
        ("/bin-as-html", "text/html", b"\x00\x01\x02\xff"),
        ("/two-types", "text/html, image/png", b"\x89PNG"),
    )

    def page(self, target: str) -> Answer:
        if target == "/":
            anchors = Anchors(self.origin)
            main = anchors.ul([(path, path) for path, _, _ in self.files])
            main += anchors.ul([(url, "x") for url in self.plan.outward])
            return self.dressed("/", "x", main, anchors, kind="types")
        for path, content_type, start in self.files:
            if target == path:
                return Answer(start + b"\0\xfe\x10\x80data" * 3_000, content_type=content_type, kind="file")
        return not_found()


class MaliciousSite(Site):
    """Links to paths, hosts and ports that are meant to do harm; every path is answered, with headers to match."""

    headers = (
        ("X-Escape", "\x1b]0;pwned\x07\x1b[2J\x1b[31m"),
        ("X-Latin", "\xe9\xff\x80"),
        ("Set-Cookie", "id=\x1b[31m; path=/"),
        ("Content-Disposition", 'attachment; filename="../../../../tmp/pwned.html"'),
        ("X-Very-Long", "a" * 6_000),
        ("Link", "</etc/passwd>; rel=canonical"),
    )
    addresses = (
        "http://a..b.cz/",
        "http://-dash-.cz/",
        "http://" + "x" * 64 + ".cz/",
        "http://" + ".".join(["dlouhe"] * 60) + ".cz/",
        "http://user:heslo@localhost/",
        "http://%1b%5b31m.cz/",
        "http://exa mple.cz/",
        "http://xn--a/",
        "http://host:99999/",
        "http://host:22/",
        "http://[not-an-ip]/",
        "http:///etc/passwd",
        "https:\\\\evil.invalid\\x",
        "//[::1]:80/",
        "mailto:a@b.cz",
        "tel:112",
        "\x00http://nul.invalid/",
        "http://пример.invalid/",
        "about:blank",
        "blob:x",
        "view-source:http://x.invalid/",
    )

    def page(self, target: str) -> Answer:
        random = self.random("page", target)
        title = "\x1b]0;pwned\x07 <b>\x07title</b> \u202e"
        rows = "".join(f'<a href="{escape(href)}">{escape(href)}</a>\n' for href in (*PATHS, *self.addresses))
        anchors = Anchors(self.origin, target)
        rows += anchors.ul([(url, "x") for url in self.plan.outward])
        text = prose.paragraphs(random, self.lang, 60)
        main = rows + "".join(f"<p>{paragraph}</p>" for paragraph in text)
        answer = self.dressed(target, title, main, anchors, kind="malicious")
        answer.headers = self.headers
        return answer
