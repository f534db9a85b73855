// The page inspector: blocks are marked on both sides, by mouse and by keyboard.
"use strict";

(() => {
  const room = document.querySelector(".inspector");
  const list = room.querySelector("[data-blocks]");
  const frame = room.querySelector("[data-frame]");
  const said = room.querySelector("[data-said]");
  const base = frame ? frame.src : "";
  const blocks = [...list.querySelectorAll(".b")];
  let current = null;
  let inFrame = "";
  let timer = 0;
  let telling = 0;
  let asked = null;

  // The frame has an opaque origin, so all that can be done from here is to change its fragment.
  function showInFrame(number) {
    if (!frame || inFrame === number) return;
    inFrame = number;
    frame.contentWindow.location.replace(`${base}#gm-block-${number}`);
  }

  function soon(action, delay) {
    clearTimeout(timer);
    timer = setTimeout(action, delay);
  }

  function mark(block, { scroll = false, focus = false } = {}) {
    if (!block) return;
    const before = current || blocks[0];
    before.classList.remove("current");
    before.querySelector(".n").tabIndex = -1;
    room.classList.add("quiet");
    current = block;
    block.classList.add("current");
    const link = block.querySelector(".n");
    link.tabIndex = 0;
    if (focus) link.focus({ preventScroll: true });
    if (scroll) block.scrollIntoView({ block: "nearest" });
    clearTimeout(timer);
    clearTimeout(telling); // a key that is held down must not make hundreds of navigations
    telling = setTimeout(() => {
      history.replaceState(history.state, "", `#${block.id}`);
      showInFrame(block.dataset.n);
      said.textContent = `Block ${block.dataset.n}: ${block.querySelector(".m").textContent}`;
      soon(() => explain(block), 250);
    }, 50);
  }

  // What mill's score of a block depends on, which takes the server a moment.
  async function explain(block) {
    if (room.dataset.reasoned !== "1" || block.querySelector(".why")) return;
    if (asked) asked.abort();
    asked = new AbortController();
    try {
      const found = await gristmill.ask("page-reasons", { id: room.dataset.page, block: block.dataset.n }, { signal: asked.signal });
      if (found.reasons.length && !block.querySelector(".why")) block.append(table(found.reasons.slice(0, 5), block));
    } catch (error) {
      if (error.name !== "AbortError") said.textContent = error.message;
    }
  }

  function table(reasons, block) {
    const made = document.createElement("table");
    made.className = "why";
    made.lang = "en";
    const side = Number(block.querySelector(".m b").textContent) > 0.5 ? "text" : "boilerplate";
    made.createCaption().textContent = `Score if it were like ${side} of this page in …`;
    for (const reason of reasons) {
      const row = made.insertRow();
      row.insertCell().textContent = reason.group;
      const cell = row.insertCell();
      cell.className = "n";
      cell.textContent = reason.score.toFixed(2);
      const change = row.insertCell();
      change.className = "n";
      change.textContent = `${reason.change > 0 ? "−" : "+"}${Math.abs(reason.change).toFixed(2)}`;
    }
    return made;
  }

  function step(by, fits = () => true) {
    let at = current ? blocks.indexOf(current) + by : by > 0 ? 0 : blocks.length - 1;
    while (at >= 0 && at < blocks.length && !fits(blocks[at])) at += by;
    if (blocks[at]) mark(blocks[at], { scroll: true, focus: true });
  }

  list.addEventListener("click", (event) => {
    const block = event.target.closest(".b");
    if (!block || (event.target.closest("a") && !event.target.closest(".n")) || String(getSelection())) return;
    if (event.target.closest(".n")) event.preventDefault();
    mark(block, { focus: true });
  });
  list.addEventListener("focusin", (event) => {
    const block = event.target.closest(".b");
    if (block && block !== current) mark(block);
  });
  list.addEventListener("mouseover", (event) => {
    const block = event.target.closest(".b");
    if (block) soon(() => showInFrame(block.dataset.n), 90);
  });
  list.addEventListener("mouseleave", () => soon(() => current && showInFrame(current.dataset.n), 90));

  document.addEventListener("keydown", (event) => {
    if (gristmill.typing(event)) return;
    const inList = list.contains(document.activeElement);
    const go = (to) => {
      const link = room.querySelector(`[data-step="${to}"]`);
      if (link) link.click();
    };
    const keys = {
      j: () => step(1),
      k: () => step(-1),
      d: () => step(1, (block) => block.classList.contains("differs")),
      n: () => go(1),
      p: () => go(-1),
      ...(inList ? { ArrowDown: () => step(1), ArrowUp: () => step(-1) } : {}),
    };
    if (Object.hasOwn(keys, event.key)) {
      event.preventDefault();
      keys[event.key]();
    }
  });

  // A change of the view shows at once; without scripts there is a button for it.
  const view = room.querySelector("[data-view]");
  view?.addEventListener("change", (event) => {
    if (event.target.name !== "roles") view.requestSubmit();
  });
  view?.addEventListener("input", (event) => {
    if (event.target.name === "max_boilerplate") view.querySelector("[data-threshold]").textContent = Number(event.target.value).toFixed(2);
  });
  // What is as built stays out of the address.
  view?.addEventListener("submit", () => {
    const fields = [...view.elements].filter((field) => field.name && field.type !== "hidden");
    for (const field of fields) field.disabled = false;
    for (const field of fields) {
      const plain = { colour: "score", method: "", with: "", look: "own" };
      if (field.name in plain && field.value === plain[field.name]) field.disabled = true;
      if (field.type === "range" && field.value === field.defaultValue && !new URLSearchParams(location.search).has(field.name)) field.disabled = true;
    }
    const roles = fields.filter((field) => field.name === "roles");
    if (roles.every((field) => field.checked === field.defaultChecked) && !new URLSearchParams(location.search).has("roles")) {
      roles.forEach((field) => { field.disabled = true; });
    }
    if (current) view.action = `${location.pathname}#${current.id}`;
  });
  window.addEventListener("pageshow", () => { for (const field of view?.elements ?? []) field.disabled = false; });

  function fromAddress() {
    const number = /^#block-\d+$/.test(location.hash) ? Number(location.hash.slice("#block-".length)) : -1;
    const block = document.getElementById(`block-${number}`);
    if (number >= 0 && !block && number < Number(room.dataset.total)) {
      const address = new URL(location.href); // a large page is listed in parts
      address.searchParams.set("first", number - (number % Number(room.dataset.most)));
      location.replace(address);
      return;
    }
    if (block && block !== current) {
      mark(block);
      block.scrollIntoView({ block: "center" });
    }
  }
  blocks.forEach((block, number) => { block.querySelector(".n").tabIndex = number ? -1 : 0; });
  window.addEventListener("hashchange", fromAddress);
  if (frame) frame.addEventListener("load", () => {
    if (inFrame !== "") {
      const number = inFrame;
      inFrame = "";
      showInFrame(number);
    }
  }, { once: true });
  fromAddress();
})();
