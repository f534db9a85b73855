// Judging the blocks of a page by keys or mouse. What is judged is shown at once and sent at once; what could not be
// sent is kept in the browser and sent again, until the server says that it is on its disk.
"use strict";

(() => {
  const room = document.getElementById("judging");
  const blocks = [...room.querySelectorAll(".block")];
  const { page, digest, annotator } = room.dataset;
  const suggests = room.dataset.suggest === "1";
  const kept = `gristmill annotate ${gristmill.corpus} ${annotator} ${page} ${digest}`;
  const at = (id) => document.getElementById(id);
  const MOST_MARKS = 500; // in a request
  const UNSURE = 0.35; // so near is a score to the middle, of 0.5

  let current = 0;
  let anchor = null; // where a selection was begun
  let typed = ""; // a number that is being typed
  let samePath = false; // whether the next mark is for all blocks of this path
  let choosing = false; // whether the next key is a role
  let queue = []; // marks that are not stored yet
  let sending = false;
  let finishing = false;
  let wait = 500;
  const undo = [];

  // ---- what is shown

  function show() {
    const [low, high] = selection();
    blocks.forEach((block, number) => {
      const is = number === current;
      if (block.tabIndex !== (is ? 0 : -1)) block.tabIndex = is ? 0 : -1;
      if (is) block.setAttribute("aria-current", "true");
      else block.removeAttribute("aria-current");
      block.classList.toggle("selected", anchor !== null && number >= low && number <= high);
    });
    const chosen = anchor === null ? "" : `${high - low + 1} selected`;
    at("pending").textContent = choosing ? "role?" : typed ? `to ${typed}` : samePath ? "all like this" : chosen;
    at("roles").hidden = !choosing;
    room.querySelector('[data-do="role"]').setAttribute("aria-expanded", String(choosing));
    room.querySelector('[data-do="undo"]').disabled = !undo.length;
  }

  function count() {
    const judged = blocks.filter((block) => block.dataset.verdict).length;
    const left = blocks.length - judged;
    at("judged").textContent = judged.toLocaleString("en");
    at("progress").value = judged;
    at("rest").textContent = left ? `, ${left.toLocaleString("en")} ${suggests ? "as suggested" : "left are bad"}` : "";
  }

  function paint(number) {
    const block = blocks[number];
    block.querySelector(".verdict").textContent = block.dataset.verdict;
    block.querySelector(".role").textContent = block.dataset.role;
  }

  function go(number, { extend = false } = {}) {
    if (extend && anchor === null) anchor = current;
    current = Math.max(0, Math.min(blocks.length - 1, number));
    show();
    blocks[current].focus({ preventScroll: true });
    blocks[current].scrollIntoView({ block: "nearest" });
  }

  function selection() {
    if (anchor === null) return [current, current];
    return [Math.min(anchor, current), Math.max(anchor, current)];
  }

  function forget() {
    anchor = null;
    typed = "";
    samePath = false;
    choosing = false;
  }

  // ---- what is judged

  function targets() {
    if (samePath) {
      const path = blocks[current].dataset.path;
      return blocks.flatMap((block, number) => (block.dataset.path === path ? [number] : []));
    }
    let [low, high] = selection();
    if (typed) {
      const end = Math.max(1, Math.min(blocks.length, Number(typed))) - 1;
      [low, high] = [Math.min(low, end), Math.max(high, end)];
    }
    return range(low, high);
  }

  function range(low, high) {
    return Array.from({ length: high - low + 1 }, (_, number) => low + number);
  }

  // Changes are {number, verdict, role}, of which an empty string takes away and undefined leaves as it is.
  function change(changes, { canUndo = true } = {}) {
    const before = [];
    const marks = [];
    for (const { number, verdict, role } of changes) {
      const data = blocks[number].dataset;
      before.push({ number, verdict: data.verdict, role: data.role });
      if (verdict !== undefined) data.verdict = verdict;
      if (role !== undefined) data.role = role;
      paint(number);
      marks.push([number, verdict === undefined ? "" : verdict || "none", role === undefined ? "" : role || "none"]);
    }
    if (canUndo && before.length) undo.push({ before, current });
    queue.push(...compressed(marks));
    keep();
    if (at("saved").dataset.state !== "unsaved") tell("saving", "saving");
    count();
    send();
  }

  function compressed(marks) {
    const runs = [];
    for (const [number, verdict, role] of marks) {
      const last = runs[runs.length - 1];
      if (last && last.end === number - 1 && last.verdict === verdict && last.role === role) last.end = number;
      else runs.push({ start: number, end: number, verdict, role });
    }
    return runs.map(({ start, end, verdict, role }) => `${start}-${end}:${verdict}:${role}`);
  }

  function mark(verdict) {
    const chosen = targets();
    const alone = !samePath;
    forget();
    change(chosen.map((number) => ({ number, verdict })));
    if (alone && chosen.length) go(chosen[chosen.length - 1] + 1);
    else show();
  }

  function markRest(verdict) {
    forget();
    change(range(current, blocks.length - 1).map((number) => ({ number, verdict })));
    go(blocks.length - 1);
  }

  function giveRole(role) {
    const chosen = targets();
    forget();
    change(chosen.map((number) => ({ number, role: role === "none" ? "" : role })));
    go(current);
  }

  function takeBack() {
    const last = undo.pop();
    if (!last) return;
    forget();
    change(last.before, { canUndo: false });
    go(last.current);
  }

  function finish() {
    const left = blocks.flatMap((block, number) => (block.dataset.verdict ? [] : [number]));
    finishing = true;
    change(left.map((number) => ({ number, verdict: suggests ? blocks[number].dataset.suggestion : "bad" })));
  }

  // ---- how it is stored

  function keep() {
    try {
      if (queue.length) localStorage.setItem(kept, JSON.stringify(queue));
      else localStorage.removeItem(kept);
    } catch {
      // a browser that keeps nothing: then marks are kept as long as the page is open
    }
  }

  function tell(state, words) {
    at("saved").dataset.state = state;
    if (at("saved").textContent !== words) at("saved").textContent = words;
  }

  async function send() {
    if (sending || (!queue.length && !finishing)) return;
    sending = true;
    const marks = queue.slice(0, MOST_MARKS);
    const last = finishing && marks.length === queue.length;
    try {
      await gristmill.tell("annotate-mark", { page, digest, annotator, marks, suggested: suggests, finish: last });
      queue = queue.slice(marks.length);
      keep();
      wait = 500;
      at("problem").hidden = true;
      if (!queue.length) tell("saved", "saved");
      if (last && !queue.length) {
        window.location.assign(room.dataset.next);
        return;
      }
      sending = false;
      send();
    } catch (error) {
      tell("unsaved", `not saved: ${queue.length || 1} to send`);
      const silent = error instanceof TypeError; // else the server has answered, and refuses
      at("problem").textContent = `Not saved: ${silent ? "the server does not answer. It is asked again." : error.message}`;
      at("problem").hidden = false;
      window.setTimeout(again, wait);
      wait = Math.min(5000, wait * 2);
    }
  }

  // A server that was started anew knows other tokens: take that of a fresh page.
  async function again() {
    try {
      const fresh = new DOMParser().parseFromString(await (await fetch(window.location.href)).text(), "text/html");
      const token = fresh.querySelector('meta[name="csrf"]');
      if (token) gristmill.token = token.content;
    } catch {
      // it does not answer yet
    }
    sending = false;
    send();
  }

  // Another window of the same annotator may have judged more.
  async function look() {
    if (document.hidden || queue.length || sending) return;
    try {
      const found = await gristmill.ask("annotate-stored", { page, annotator });
      if (found.digest !== digest || queue.length || sending) return;
      const stored = new Map(found.judgements.map((item) => [item.block, item]));
      blocks.forEach((block, number) => {
        const { verdict = "", role = "" } = stored.get(number) || {};
        block.dataset.verdict = verdict;
        block.dataset.role = role;
        paint(number);
      });
      count();
    } catch {
      // it is looked up again at the next time
    }
  }

  // ---- keys and mouse

  const VERDICTS = { g: "good", b: "bad", u: "undecided" };

  function nextWhere(holds) {
    const found = blocks.findIndex((block, number) => number > current && holds(block));
    const first = found < 0 ? blocks.findIndex(holds) : found;
    if (first >= 0) go(first);
  }

  const isUnsure = (block) => Math.abs(Number(block.dataset.score) - 0.5) < UNSURE && !block.dataset.verdict;

  const COMMANDS = {
    j: () => go(current + 1),
    k: () => go(current - 1),
    ArrowDown: (event) => go(current + 1, { extend: event.shiftKey }),
    ArrowUp: (event) => go(current - 1, { extend: event.shiftKey }),
    Home: () => go(0),
    End: () => go(blocks.length - 1),
    ".": () => { if (typed) { const number = Number(typed); typed = ""; go(number - 1); } },
    n: () => nextWhere((block) => !block.dataset.verdict),
    m: () => { anchor = anchor === null ? current : null; show(); },
    p: () => { samePath = !samePath; show(); },
    r: () => { choosing = true; show(); },
    c: () => mark(""),
    z: takeBack,
    s: () => leave(room.dataset.suggestions),
    o: () => window.open(room.dataset.inspector, "_blank", "noopener"),
    G: () => markRest("good"),
    B: () => markRest("bad"),
    U: () => markRest("undecided"),
    Enter: finish,
    Escape: () => { forget(); show(); },
    Backspace: () => { typed = typed.slice(0, -1); show(); },
    "?": () => at("help").showModal(),
  };
  if (suggests) {
    COMMANDS.w = () => nextWhere(isUnsure);
    COMMANDS.x = () => mark(blocks[current].dataset.suggestion === "good" ? "bad" : "good");
  }

  function leave(address) {
    if (!queue.length) window.location.assign(address);
  }

  function onKey(event) {
    if (at("help").open || gristmill.typing(event)) return;
    const { key } = event;
    if (choosing) {
      const chosen = [...at("roles").children].find((button) => button.dataset.key === key);
      if (chosen) giveRole(chosen.dataset.role);
      else if (key === "Escape") { choosing = false; go(current); } else return;
    } else if ((key === "Enter" || key === " ") && event.target.closest("button, a, summary")) {
      return;
    } else if (/^[0-9]$/.test(key)) {
      typed = (typed + key).slice(-5);
      show();
    } else if (VERDICTS[key]) {
      mark(VERDICTS[key]);
    } else if (COMMANDS[key]) {
      if (key !== "." && key !== "Backspace") typed = "";
      COMMANDS[key](event);
    } else {
      return;
    }
    event.preventDefault();
  }

  document.addEventListener("keydown", onKey);
  room.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button && button.dataset.mark) mark(button.dataset.mark);
    else if (button && button.dataset.role) giveRole(button.dataset.role);
    else if (button && button.dataset.do === "undo") takeBack();
    else if (button && button.dataset.do === "help") at("help").showModal();
    else if (button && button.dataset.do === "role") { choosing = !choosing; show(); }
    const block = event.target.closest(".block");
    if (!block || window.getSelection().toString()) return;
    if (!event.shiftKey) anchor = null;
    go(blocks.indexOf(block), { extend: event.shiftKey });
  });
  room.addEventListener("mousedown", (event) => { // a click with Shift is for blocks, and would select text
    if (event.shiftKey && event.target.closest(".block")) event.preventDefault();
  });
  room.addEventListener("focusin", (event) => {
    const block = event.target.closest(".block");
    if (block && blocks[current] !== block) { current = blocks.indexOf(block); show(); }
  });
  at("finish").addEventListener("click", (event) => { event.preventDefault(); finish(); });
  window.addEventListener("beforeunload", (event) => { if (queue.length) event.preventDefault(); });
  document.addEventListener("visibilitychange", look);
  window.addEventListener("focus", look);

  // ---- the beginning

  try {
    queue = JSON.parse(localStorage.getItem(kept) || "[]");
  } catch {
    queue = [];
  }
  if (queue.length) { // a window was closed before the server had these: show them, and send them
    for (const text of queue) {
      const [, low, high, verdict, role] = /^(\d+)-(\d+):(\w*):(\w*)$/.exec(text) || [];
      for (const number of low === undefined ? [] : range(Number(low), Number(high))) {
        const data = blocks[number].dataset;
        if (verdict) data.verdict = verdict === "none" ? "" : verdict;
        if (role) data.role = role === "none" ? "" : role;
        paint(number);
      }
    }
    count();
    send();
  }
  const named = blocks.findIndex((block) => `#${block.id}` === window.location.hash);
  const open = blocks.findIndex((block) => !block.dataset.verdict);
  go(named >= 0 ? named : Math.max(0, open));
  if (named < 0 && open <= 0) window.scrollTo(0, 0);
  room.dataset.ready = "1";
})();
