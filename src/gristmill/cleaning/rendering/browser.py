"""A process of its own that drives Chromium: pages come in on its standard input, boxes go out on its output.

`rendered` starts it (`python -m gristmill.cleaning.rendering.browser PATH`), and can end it whatever happens in it.

Nothing is asked of the network: the browser is offline, each request is refused, names are not looked up, and scripts
of the page don't run. So images have the size that the markup says, and style sheets count only if they are in the
page.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from playwright.sync_api import Error, Page, sync_playwright

from gristmill.cleaning.rendering.boxes import PAGE_WIDTH
from gristmill.cleaning.rendering.messages import MARK, receive, send

ARGUMENTS = (
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-gpu"),
    *("--disable-quic", "--no-first-run", "--host-resolver-rules=MAP * ~NOTFOUND", "--hide-scrollbars"),
)
MEASURE = """
mark => {
  const boxes = [], range = document.createRange();
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
  const luminance = colour => {
    const [r, g, b, a] = (colour.match(/[\\d.]+/g) || [0, 0, 0]).map(Number);
    return a === 0 ? null : (0.299 * r + 0.587 * g + 0.114 * b) / 255;
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const found = getComputedStyle(at).backgroundColor;
      if (luminance(found) !== null) return found;
    }
    return "rgb(255, 255, 255)";
  };
  const packed = colour => {
    const [r, g, b] = (colour.match(/[\\d.]+/g) || [255, 255, 255]).map(part => Math.round(Number(part)));
    return (r * 256 + g) * 256 + b;
  };
  let box = null;
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeType === Node.COMMENT_NODE) {
      if (!node.data.startsWith(mark)) continue;
      box = [Number(node.data.slice(mark.length)), null, 0, 0, 0, 0, 0, 0, 0];
      boxes.push(box);
      continue;
    }
    if (!box || !node.data.trim() || !node.parentElement) continue;
    range.selectNodeContents(node);
    const found = range.getBoundingClientRect();
    if (!found.width || !found.height) continue;
    const left = found.left + scrollX, top = found.top + scrollY;
    const right = left + found.width, bottom = top + found.height;
    if (box[1] === null) {
      const style = getComputedStyle(node.parentElement);
      const colour = behind(node.parentElement);
      const contrast = Math.abs((luminance(style.color) || 0) - luminance(colour));
      const font = [parseFloat(style.fontSize), Number(style.fontWeight)];
      box.splice(1, 8, left, top, right, bottom, ...font, contrast, packed(colour));
    } else {
      box[1] = Math.min(box[1], left); box[2] = Math.min(box[2], top);
      box[3] = Math.max(box[3], right); box[4] = Math.max(box[4], bottom);
    }
  }
  return boxes;
}
"""


def main(path: str) -> None:
    """Measure pages until there are no more; the first message says that the browser is there, or why it is not."""
    given, results = sys.stdin.buffer, sys.stdout.buffer
    with sync_playwright() as playwright:
        try:
            is_root = hasattr(os, "geteuid") and os.geteuid() == 0  # Chromium has no sandbox for root
            found = playwright.chromium.launch(
                executable_path=path, args=list(ARGUMENTS), chromium_sandbox=not is_root, timeout=60_000
            )
        except Error as error:
            send(results, {"error": str(error)})
            return
        context = found.new_context(
            java_script_enabled=False, offline=True, viewport={"width": PAGE_WIDTH, "height": 768}
        )
        context.route("**/*", lambda route: route.abort())
        send(results, {"version": found.version})
        page = context.new_page()
        while (asked := receive(given)) is not None:
            if page.is_closed():
                page = context.new_page()
            send(results, _measured(page, asked))
        found.close()


def _measured(page: Page, asked: dict[str, Any]) -> dict[str, Any]:
    try:
        page.goto("about:blank")  # nothing of the page before is left
        page.set_content(asked["html"], wait_until="load", timeout=asked["timeout"] * 1000)
        return {"boxes": page.evaluate(MEASURE, MARK)}
    except Error as error:
        page.close()  # it may be in any state
        return {"error": str(error)}


if __name__ == "__main__":
    main(sys.argv[1])
