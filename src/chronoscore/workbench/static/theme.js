// Dark or light: as the reader's system has it, unless they chose. Runs before the page is drawn.
(() => {
  const NAME = "chronoscore/theme";
  const root = document.documentElement;
  let chosen = null;
  try {
    chosen = localStorage.getItem(NAME);
  } catch {
    // storage is blocked: the system's choice holds
  }
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;

  document.addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const dark = () =>
      root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const show = () => button.setAttribute("aria-pressed", String(dark()));
    button.hidden = false;
    show();
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try {
        localStorage.setItem(NAME, root.dataset.theme);
      } catch {
        // it holds for this page
      }
      show();
    });
  });
})();
