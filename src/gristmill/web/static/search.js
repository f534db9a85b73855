// The concordancer: completion of queries, keys for lines, wider context in its place.
"use strict";

// ---- Completion: a list below a field, by the pattern of a combobox ----

class Completion {
  constructor(field, number) {
    this.field = field;
    this.kind = field.dataset.complete;
    this.items = [];
    this.active = -1;
    this.asked = 0; // number of the latest question
    this.timer = 0;
    this.stale = false; // whether the list is that of an older text
    this.pressed = []; // keys for the list that is on its way
    this.list = document.createElement("ul");
    this.list.className = "completions";
    this.list.id = `completions-${number}`;
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Suggestions");
    this.list.hidden = true;
    field.parentElement.classList.add("completing");
    field.after(this.list);
    for (const [name, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": this.list.id,
    })) field.setAttribute(name, value);
    field.addEventListener("input", () => this.later());
    field.addEventListener("keydown", (event) => this.key(event));
    field.addEventListener("blur", () => this.close());
    this.list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const chosen = event.target.closest("li");
      if (chosen) this.accept(Number(chosen.dataset.number));
    });
  }

  later() {
    this.asked += 1;
    this.stale = true;
    this.pressed = [];
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), 80);
  }

  // Places of the server count characters, those of a field halves of some of them.
  place() {
    return Array.from(this.field.value.slice(0, this.field.selectionStart)).length;
  }

  // Older questions are not broken off, as that would stop whoever answers; their answers are not looked at.
  async ask() {
    const number = ++this.asked;
    this.stale = true;
    try {
      const found = await gristmill.ask("complete", { text: this.field.value, at: this.place(), kind: this.kind });
      if (number === this.asked && document.activeElement === this.field) this.show(found);
    } catch (error) {
      if (number === this.asked) this.close(); // then one types on as without a script
    }
  }

  show(found) {
    this.found = found;
    this.items = found.items;
    this.stale = false;
    this.active = -1;
    this.field.removeAttribute("aria-activedescendant");
    this.list.replaceChildren(...this.items.map((item, number) => {
      const line = document.createElement("li");
      line.id = `${this.list.id}-${number}`;
      line.dataset.number = number;
      line.setAttribute("role", "option");
      line.setAttribute("aria-selected", "false");
      const label = document.createElement("bdi");
      label.textContent = item.label;
      line.append(label);
      if (item.count !== null) {
        const count = document.createElement("span");
        count.className = "count";
        count.textContent = item.count.toLocaleString("en");
        line.append(count);
      }
      return line;
    }));
    this.list.hidden = this.items.length === 0;
    this.field.setAttribute("aria-expanded", String(!this.list.hidden));
    const pressed = this.pressed;
    this.pressed = [];
    if (this.items.length) pressed.forEach((key) => this.act(key));
  }

  close() {
    clearTimeout(this.timer);
    this.asked += 1;
    this.stale = false;
    this.pressed = [];
    this.list.hidden = true;
    this.active = -1;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = event.key === "ArrowDown" || event.key === "ArrowUp";
    const accepts = event.key === "Enter" || event.key === "Tab";
    if (this.stale && (moves || (accepts && this.pressed.length))) {
      event.preventDefault();
      this.pressed.push(event.key);
    } else if (this.list.hidden) {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      this.pressed = [event.key];
      this.ask();
    } else if (moves || (accepts && this.active >= 0)) {
      event.preventDefault();
      this.act(event.key);
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.close();
    } else if (event.key === "Enter") {
      this.close();
    }
  }

  act(key) {
    if (key === "ArrowDown" || key === "ArrowUp") this.move(key === "ArrowDown" ? 1 : -1);
    else if (this.active >= 0) this.accept(this.active);
  }

  move(step) {
    const lines = this.list.children;
    if (this.active >= 0) lines[this.active].setAttribute("aria-selected", "false");
    this.active = (this.active + step + lines.length + (this.active < 0 && step < 0 ? 1 : 0)) % lines.length;
    const line = lines[this.active];
    line.setAttribute("aria-selected", "true");
    line.scrollIntoView({ block: "nearest" });
    this.field.setAttribute("aria-activedescendant", line.id);
  }

  accept(number) {
    const item = this.items[number];
    const characters = Array.from(this.field.value);
    const before = characters.slice(0, this.found.start).join("") + item.insert;
    this.field.value = before + characters.slice(this.found.end).join("");
    this.close();
    this.field.setSelectionRange(before.length, before.length);
    if (/(="|[.(]| )$/.test(item.insert)) this.ask(); // more comes: values after a name, attributes after a label
  }
}

document.querySelectorAll("[data-complete]").forEach((field, number) => new Completion(field, number));

// ---- An error in a query: the cursor goes to its place ----

const wrong = document.querySelector("[data-place]");
if (wrong) {
  const at = Array.from(wrong.value).slice(0, Number(wrong.dataset.place)).join("").length;
  wrong.focus();
  wrong.setSelectionRange(at, at);
}

// ---- Lines ----

const widest = 2000;

async function openContext(node, tokens) {
  const line = node.closest("li");
  const corpus = node.closest(".kwic").dataset.corpus;
  const query = new URLSearchParams({ position: node.dataset.position, length: node.dataset.length, tokens });
  const known = line.querySelector(".wider");
  let shown;
  try {
    const found = await gristmill.read(await fetch(`/api/${encodeURIComponent(corpus)}/context?${query}`));
    shown = contextOf(found, line.querySelector(".ref"), node, tokens);
  } catch (error) {
    shown = document.createElement("p");
    shown.className = "wider error";
    shown.textContent = error.message;
  }
  shown.id = `context-${node.dataset.position}-${node.dataset.length}`;
  shown.setAttribute("role", "region");
  shown.setAttribute("aria-label", "Wider context");
  if (known) known.replaceWith(shown);
  else line.append(shown);
  node.setAttribute("aria-expanded", "true");
  node.setAttribute("aria-controls", shown.id);
  shown.scrollIntoView({ block: "nearest" });
}

function contextOf(found, reference, node, tokens) {
  const shown = document.createElement("div");
  shown.className = "wider";
  const text = document.createElement("div");
  text.dir = found.from_right ? "rtl" : "ltr";
  found.blocks.forEach((block, number) => {
    const paragraph = document.createElement("p");
    const mark = document.createElement("mark");
    mark.textContent = block.hit;
    const start = number === 0 && found.more_before ? "… " : "";
    const end = number === found.blocks.length - 1 && found.more_after ? " …" : "";
    paragraph.append(start + block.before, ...(block.hit ? [mark] : []), block.after + end);
    text.append(paragraph);
  });
  const about = document.createElement("p");
  about.className = "about";
  const title = document.createElement("bdi");
  title.textContent = found.title || found.url;
  const page = document.createElement("a");
  page.href = reference.href;
  page.textContent = "Open the page";
  about.append(title, page);
  if ((found.more_before || found.more_after) && tokens < widest) {
    const more = document.createElement("button");
    more.type = "button";
    more.textContent = "More text";
    more.addEventListener("click", () => openContext(node, Math.min(tokens * 2, widest)));
    about.append(more);
  }
  shown.append(text, about);
  return shown;
}

function closeContext(node) {
  const shown = node.closest("li").querySelector(".wider");
  if (shown) shown.remove();
  node.setAttribute("aria-expanded", "false");
}

document.querySelectorAll(".kwic .node[data-position]").forEach((node) => {
  node.setAttribute("role", "button");
  node.setAttribute("aria-expanded", "false");
  node.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (node.getAttribute("aria-expanded") === "true") closeContext(node);
    else openContext(node, 150);
  });
});

const nodes = Array.from(document.querySelectorAll(".kwic .node[data-position]"));

function currentLine() {
  const line = document.activeElement.closest ? document.activeElement.closest(".kwic li") : null;
  return line ? nodes.indexOf(line.querySelector(".node")) : -1;
}

document.addEventListener("keydown", (event) => {
  if (gristmill.typing(event) || event.shiftKey || !nodes.length) return;
  const at = currentLine();
  if (event.key === "j" || event.key === "k") {
    const next = event.key === "j" ? Math.min(at + 1, nodes.length - 1) : Math.max(at - 1, 0);
    nodes[next].focus();
    nodes[next].scrollIntoView({ block: "nearest" });
  } else if (event.key === "o" && at >= 0) {
    location.href = nodes[at].closest("li").querySelector(".ref").href;
  } else if (event.key === "Escape" && at >= 0) {
    closeContext(nodes[at]);
    nodes[at].focus();
  } else if (event.key === " " && document.activeElement === nodes[at]) {
    nodes[at].click();
  } else if (event.key === "n" || event.key === "p") {
    const link = document.querySelector(`.pager a[rel=${event.key === "n" ? "next" : "prev"}]`);
    if (link) link.click();
    else return;
  } else {
    return;
  }
  event.preventDefault();
});
