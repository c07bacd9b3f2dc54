// Dark and light: as the system prefers, until the switch is used; kept for this browser.
const KEPT = "xsched-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export function isDark() {
  const kept = document.documentElement.dataset.theme;
  return kept ? kept === "dark" : system.matches;
}

export function startTheme(button, onChange) {
  const kept = localStorage.getItem(KEPT);
  if (kept) document.documentElement.dataset.theme = kept;
  button.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    localStorage.setItem(KEPT, next);
    onChange();
  });
  system.addEventListener("change", onChange);
}
