"""The texts in a report as HTML: what is repeated, and samples of what was kept and dropped. All of it is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from urllib.parse import urlsplit

from gristmill.html.pictures import share_bar
from gristmill.html.report_parts import BAR_HEAD, Json, Links, linked, number, numbers, percent, table, tiles
from gristmill.wording import plural


def copies_part(copies: Json, links: Links, level: int = 2) -> str:
    """Show what is repeated: how much, which blocks, and between which hosts; `level` is that of its headings."""
    blocks, words = copies["blocks"], copies["words"]
    where, total = copies["where"], sum(copies["where"].values())
    shown = [
        (percent(_share(blocks, "duplicate")), f"of {sum(blocks.values()):,} blocks of text are repeated"),
        (percent(_share(words, "duplicate")), f"of {sum(words.values()):,} words of text are repeated"),
        (percent(where["same"] / total if total else None), "of these words first stand on the same host"),
        (percent(where["other"] / total if total else None), "on another host"),
    ]
    if where["elsewhere"]:
        shown.append((percent(where["elsewhere"] / total), "in another corpus"))
    if not copies["repeated"] and not copies["hosts"]:
        return tiles(shown) + "<p>No text of this corpus is repeated.</p>"
    return tiles(shown) + _repeated(copies["repeated"], links, level) + _pairs(copies, links, level)


def _share(counts: Mapping[str, int], name: str) -> float | None:
    total = sum(counts.values())
    return counts.get(name, 0) / total if total else None


def _repeated(blocks: Sequence[Json], links: Links, level: int) -> str:
    if not blocks:
        return ""
    rows = [
        f"<tr>{numbers(number(block['copies']), number(block['words']))}"
        f'<td><p class="text"{_lang(block["lang"])} dir="auto">{escape(block["text"])}</p>'
        f'<p class="soft small">{linked(block["url"], links.page(block["id"], block["block"]))}</p></td></tr>'
        for block in blocks
    ]
    heads = ["copies", "words in them", "text, and where it first stands:"]
    head = f"<h{level}>Most repeated blocks</h{level}>"
    return head + table(heads, rows, "Blocks that were found again most often.")


def _pairs(copies: Json, links: Links, level: int) -> str:
    pairs = [
        f"<tr><td>{linked(pair['hosts'][0], links.pages('host', pair['hosts'][0]))}</td>"
        f"<td>{linked(pair['hosts'][1], links.pages('host', pair['hosts'][1]))}</td>"
        f"{numbers(number(pair['blocks']), number(pair['words']))}</tr>"
        for pair in copies["pairs"]
    ]
    hosts = [
        f'<tr><th scope="row">{linked(host["host"] or "(unknown)", links.pages("host", host["host"]))}</th>'
        f"{numbers(number(host['words']), number(host['repeated']), percent(host['repeated'] / host['words']))}"
        f'<td class="bar">{share_bar(host["repeated"] / host["words"])}</td></tr>'
        for host in copies["hosts"]
    ]
    between = (
        table(["host:", "and host:", "blocks", "words"], pairs, "Text of one that stands on the other, too.")
        if pairs
        else "<p>No host repeats another one.</p>"
    )
    heads = [
        f"<h{level}>{title}</h{level}>" for title in ("Hosts that repeat each other", "Hosts with most repeated text")
    ]
    return (
        heads[0]
        + between
        + heads[1]
        + table(["host:", "words", "repeated", "share", BAR_HEAD], hosts, "Repeated words by host.")
    )


def _lang(lang: str) -> str:
    return f' lang="{escape(lang)}"' if lang and lang != "und" else ""


def samples_part(reasons: Sequence[Json], links: Links, level: int = 2) -> str:
    """Show samples, reason by reason."""
    return "".join(
        f'<section class="samples"><h{level}>{escape(_begun(reason["label"]))} '
        f'<span class="soft small">{escape(plural(reason["count"], reason["unit"]))}</span></h{level}>'
        f"{_samples(reason, links)}</section>"
        for reason in reasons
    )


def _begun(label: str) -> str:
    return label[:1].upper() + label[1:]


def _samples(reason: Json, links: Links) -> str:
    if not reason["samples"]:
        return '<p class="soft">These are only counted.</p>'
    mark = " kept" if reason["reason"] == "kept" else ""
    return f'<ul class="sample-list{mark}">{"".join(_sample(item, links) for item in reason["samples"])}</ul>'


def _sample(item: Json, links: Links) -> str:
    facts = [escape(item["role"]), f"score {item['score']:.2f}" if item["score"] is not None else ""]
    facts += [f'<bdi dir="auto">{escape(item["detail"])}</bdi>' if item["detail"] else ""]
    text = f'<p class="text"{_lang(item["lang"])} dir="auto">{escape(item["text"])}</p>' if item["text"] else ""
    address = links.page(item["id"], item["block"]) if item["id"] else ""
    where = linked(_short(item["url"]) or item["id"] or "(no address)", address)
    return f'<li>{text}<p class="soft small">{" · ".join(filter(None, [where, *facts]))}</p></li>'


def _short(url: str) -> str:
    """Write an address without its scheme."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return url[len(parts.scheme) + 3 :] if parts.scheme in {"http", "https"} and "://" in url else url
