// Search, menu and theme of the site of the documents. PAGES is in search.js, so that the search works from file://.
const byId = (id) => document.getElementById(id);
const MOST_FOUND = 30;
const AROUND = 70;  // letters shown beside a match
const LANGUAGE = document.documentElement.lang;
const WORDS = {
  "en": {title: "Search", none: (words) => `No page has “${words}”.`, pages: (count) => `${count} pages`},
  "zh-CN": {title: "搜索", none: (words) => `没有页面包含“${words}”。`, pages: (count) => `${count} 个页面`},
}[LANGUAGE];

function escaped(text) {
  return text.replace(/[&<>"]/g, (letter) => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[letter]);
}

// Pages with all words; a word in the title counts more than one in the text. Pages in the reader's language come first,
// and of two that say the same only the one in this language is shown.
function search(words) {
  const found = [];
  for (const page of PAGES) {
    const title = page.title.toLowerCase(), text = page.text.toLowerCase();
    if (!words.every((word) => title.includes(word) || text.includes(word))) continue;
    const score = words.reduce((sum, word) => sum + (title.includes(word) ? 50 : 0) + text.split(word).length - 1, 0);
    found.push({page, score, own: page.language === LANGUAGE});
  }
  const same = new Set(found.filter((it) => it.own).map((it) => it.page.same));
  return found.filter((it) => it.own || !same.has(it.page.page)).sort((a, b) => b.own - a.own || b.score - a.score)
    .slice(0, MOST_FOUND).map((it) => it.page);
}

// Chinese has no spaces between words: if no page has all of a text, its single words are looked for.
function singleWords(words) {
  if (!window.Intl?.Segmenter || !/\p{Script=Han}/u.test(words.join(""))) return words;
  const parts = new Intl.Segmenter("zh", {granularity: "word"});
  return words.flatMap((word) => [...parts.segment(word)].filter((it) => it.isWordLike).map((it) => it.segment));
}

function excerpt(page, word) {
  const at = Math.max(page.text.toLowerCase().indexOf(word), 0);
  const before = page.text.slice(Math.max(at - AROUND, 0), at), after = page.text.slice(at + word.length, at + AROUND);
  return `${escaped(before)}<mark>${escaped(page.text.slice(at, at + word.length))}</mark>${escaped(after)}`;
}

function showFound() {
  let words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = byId("found");
  found.hidden = words.length === 0;
  document.querySelector("article").hidden = words.length !== 0;
  if (words.length === 0) return;
  let pages = search(words);
  if (pages.length === 0) pages = search(words = singleWords(words));
  const items = pages.map((page) => `<li><a href="${document.body.dataset.root}/${page.page}">${escaped(page.title)}</a>` +
                                    `<p>${excerpt(page, words[0])}</p></li>`);
  const said = pages.length === 0 ? WORDS.none(escaped(words.join(" "))) : WORDS.pages(pages.length);
  found.innerHTML = `<h1>${WORDS.title}</h1><p>${said}</p><ol>${items.join("")}</ol>`;
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("xsched-docs-theme", root.dataset.theme);
}

byId("search").addEventListener("input", showFound);
byId("search").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  byId("search").value = "";
  showFound();
});
byId("theme").addEventListener("click", switchTheme);
byId("menu-button").addEventListener("click", () => {
  byId("menu-button").setAttribute("aria-expanded", String(byId("menu").classList.toggle("open")));
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || document.activeElement === byId("search")) return;
  event.preventDefault();
  byId("search").focus();
});
