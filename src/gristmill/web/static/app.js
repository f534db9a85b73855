// What all rooms share: asking the API, and keys that work everywhere.
"use strict";

const gristmill = {
  corpus: document.querySelector('meta[name="corpus"]').content,
  token: document.querySelector('meta[name="csrf"]').content,

  // Ask an operation; gives its JSON, or throws an Error with the message of the server.
  async ask(operation, parameters = {}, options = {}) {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(parameters)) {
      for (const item of Array.isArray(value) ? value : [value]) {
        if (item !== null && item !== undefined) query.append(name, item);
      }
    }
    const address = `/api/${encodeURIComponent(this.corpus)}/${operation}?${query}`;
    return this.read(await fetch(address, { signal: options.signal }));
  },

  // Have an operation write something.
  async tell(operation, parameters = {}) {
    const response = await fetch(`/api/${encodeURIComponent(this.corpus)}/${operation}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-CSRF-Token": this.token },
      body: JSON.stringify(parameters),
      keepalive: true,
    });
    return this.read(response);
  },

  async read(response) {
    const found = await response.json();
    if (!response.ok) throw new Error(found.error || `error ${response.status}`);
    return found;
  },

  // Whether keys are typed into a field now, so that they are not commands.
  typing(event) {
    const at = event.target;
    return event.ctrlKey || event.metaKey || event.altKey
      || at.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(at.tagName);
  },
};

// Tabs that don't fit on a narrow screen are scrolled to the one that is shown, and fade out where there are more.
for (const tabs of document.querySelectorAll(".tabs")) {
  const here = tabs.querySelector("[aria-current]");
  if (here) tabs.scrollLeft = here.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - here.offsetWidth) / 2;
  const fade = () => {
    tabs.classList.toggle("fades-left", tabs.scrollLeft > 4);
    tabs.classList.toggle("fades-right", tabs.scrollLeft + tabs.clientWidth < tabs.scrollWidth - 4);
  };
  tabs.addEventListener("scroll", fade, { passive: true });
  window.addEventListener("resize", fade);
  fade();
}

// What is empty or as it is anyway stays out of the address of a form, so that one can read and share it.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "get" || event.defaultPrevented) return;
  const plain = [...form.elements].filter((field) => field.name && !field.disabled && /^(text|search|number|select-one|hidden)$/.test(field.type)
    && (field.value === "" || field.value === field.dataset.plain));
  for (const field of plain) field.disabled = true;
  setTimeout(() => { for (const field of plain) field.disabled = false; }); // when the browser has read them
});

// "/" goes to the first search field of the page.
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || gristmill.typing(event)) return;
  const field = document.querySelector("[data-search], input[type=search]");
  if (field) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});
