// Examples of the API are copied by a button.
"use strict";

for (const button of document.querySelectorAll(".example .copy")) {
  if (!navigator.clipboard) break; // a browser has it only where the connection is safe
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
