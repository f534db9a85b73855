// Keys on the page of a pair: y yes, e near, n no, s skip, z undo (as where blocks are judged). Each presses the button that has it.
"use strict";

(() => {
  const form = document.getElementById("judging");
  if (!form) return;
  let sent = false;
  document.addEventListener("keydown", (event) => {
    if (gristmill.typing(event) || event.repeat || sent) return;
    const button = form.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!button) return;
    event.preventDefault();
    button.focus();
    button.click();
  });
  // A second click while the first is on its way would judge the next pair unseen.
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
  });
  window.addEventListener("pageshow", () => { sent = false; });
})();
