"use strict";
// Themes: the system's, until the reader chooses.
(() => {
  const root = document.documentElement;
  const remember = (value) => { try { if (value) localStorage.setItem("mcpcheck-theme", value); return localStorage.getItem("mcpcheck-theme"); } catch { return null; } };
  const chosen = remember();
  if (chosen === "dark" || chosen === "light") root.dataset.theme = chosen;
  const button = document.getElementById("theme");
  button.addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    remember(root.dataset.theme);
  });
  button.hidden = false;
})();
