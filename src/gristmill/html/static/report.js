// The slider of a report: shows at once what another threshold, or other roles, would keep. The numbers are in the page.
// It works in the web app and in a file; only the app can count the pages of any choice of roles, by asking the server.
"use strict";

(() => {
  const form = document.querySelector("form[data-threshold]");
  const block = document.getElementById("score-data");
  if (!form || !block) return;
  const scores = JSON.parse(block.textContent);
  const online = typeof gristmill !== "undefined";
  const slider = form.querySelector("input[type=range]");
  const shown = form.querySelector("output");
  const boxes = [...form.querySelectorAll("input[name=roles]")];
  const total = {};
  for (const cell of document.querySelectorAll("[data-of]")) {
    total[cell.dataset.of] = Number(cell.textContent.replace(/\D/g, ""));
  }
  document.documentElement.classList.add("scripted");

  // The roles that are ticked, or null for those of the build.
  const ticked = () => {
    const roles = boxes.filter((box) => box.checked).map((box) => box.value);
    return roles.length ? roles : null;
  };
  const isChosen = (row, roles) => {
    const role = scores.roles[row[0]];
    return roles === null ? row[1] === 1 : role === "" || roles.includes(role);
  };

  function kept(step, roles) {
    const found = { before: { blocks: 0, words: 0, pages: null }, after: { blocks: 0, words: 0, pages: null } };
    for (const row of scores.rows) {
      if (row[3] > step || !isChosen(row, roles)) continue;
      found.before.blocks += row[4];
      found.before.words += row[5];
      if (row[2]) {
        found.after.blocks += row[4];
        found.after.words += row[5];
      }
    }
    if (roles === null) {
      found.before.pages = scores.pages[0][step];
      found.after.pages = scores.pages[1][step];
    }
    return found;
  }

  function tell(found) {
    for (const when of ["before", "after"]) {
      for (const unit of ["pages", "blocks", "words"]) {
        const count = found[when][unit];
        const known = count !== null && count !== undefined;
        const of = total[unit];
        document.querySelector(`[data-cut="${when} ${unit}"]`).textContent = known ? count.toLocaleString("en") : "–";
        document.querySelector(`[data-share="${when} ${unit}"]`).textContent =
          known && of ? `${((100 * count) / of).toFixed(1)}%` : "–";
      }
    }
  }

  function draw(step, roles) {
    for (const picture of document.querySelectorAll(".histogram")) {
      const place = picture.dataset.unit === "blocks" ? 4 : 5;
      const base = Number(picture.querySelector(".base").getAttribute("y1"));
      const wide = Number(picture.querySelector(".base").getAttribute("x2")) / (scores.steps + 1);
      const counts = new Array(scores.steps + 1).fill(0);
      for (const row of scores.rows) if (isChosen(row, roles)) counts[row[3]] += row[place];
      picture.querySelectorAll(".chosen").forEach((bar, number) => {
        const height = Math.sqrt(counts[number] / Number(picture.dataset.most)) * base;
        bar.setAttribute("height", height.toFixed(1));
        bar.setAttribute("y", (base - height).toFixed(1));
        bar.classList.toggle("out", number > step);
      });
      const line = picture.querySelector(".limit");
      for (const end of ["x1", "x2"]) line.setAttribute(end, ((step + 1) * wide).toFixed(1));
    }
  }

  let asking = null;
  async function askPages(threshold, roles) {
    asking?.abort();
    asking = new AbortController();
    try {
      const found = await gristmill.ask("threshold", { max_boilerplate: threshold, roles }, { signal: asking.signal });
      tell(found);
    } catch (error) {
      if (error.name !== "AbortError") console.warn(error.message);
    }
  }

  function update() {
    const threshold = Number(slider.value);
    const step = Math.round(threshold * scores.steps);
    const roles = ticked();
    shown.textContent = threshold;
    tell(kept(step, roles));
    draw(step, roles);
    if (!online) return;
    const query = new URLSearchParams({ max_boilerplate: threshold });
    for (const role of roles ?? []) query.append("roles", role);
    history.replaceState(null, "", `?${query}`);
    if (roles !== null) askPages(threshold, roles);
  }

  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    update();
  });
})();
