// Shows how far a training is, and the result when it is there.
"use strict";

(() => {
  const place = document.getElementById("training");
  if (place.dataset.state !== "running") return;
  const EVERY = 700;

  async function look() {
    try {
      const found = await gristmill.ask("annotate-training");
      if (found.state !== "running" || found.run !== place.dataset.run) {
        window.location.reload();
        return;
      }
      document.getElementById("message").textContent = found.message;
      document.getElementById("steps").max = found.steps || 6;
      document.getElementById("steps").value = found.step;
      document.getElementById("step").textContent = found.steps ? `${found.step} of ${found.steps} steps` : "";
    } catch {
      // the server does not answer now: ask again
    }
    window.setTimeout(look, EVERY);
  }
  window.setTimeout(look, EVERY);
})();
