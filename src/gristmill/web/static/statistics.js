// Narrow a sketch down to the collocates that have some letters, while these are typed.
"use strict";

document.querySelectorAll("[data-narrows]").forEach((field) => {
  const rows = [...document.querySelectorAll(field.dataset.narrows)];
  const told = document.querySelector("[data-narrowed]");
  const texts = rows.map((row) => row.querySelector("th").textContent.toLowerCase());
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, number) => {
      row.hidden = wanted !== "" && !texts[number].includes(wanted);
      shown += row.hidden ? 0 : 1;
    });
    document.querySelectorAll(".sketch section").forEach((section) => {
      section.hidden = !section.querySelector("tbody tr:not([hidden])");
    });
    told.textContent = wanted ? `${shown} of ${rows.length}` : "";
  });
});
