#!/usr/bin/python3
"""Makes a static site of the pages of this tree.

    tools/docs/site.py FOLDER

FOLDER gets a page for each Markdown page, with a menu, a search and a switch for light and dark. It needs no server:
open FOLDER/index.html. The menu is the list "Documents" of README.md. Links to files that are no pages become text,
as in an installation (installed_links.py). The page of the Python package is made from its docstrings
(python_api.py). The Chinese page of docs/NAME.md is docs/zh-CN/NAME.md, that of another README.md is README.zh-CN.md
beside it. Needs python3-markdown."""
import html
import json
import os
import re
import shutil
import sys
from pathlib import Path

import markdown

import installed_links
import python_api

ROOT = Path(__file__).resolve().parents[2]
PARTS = Path(__file__).resolve().parent
PICTURES = (".png", ".svg")
CHINESE = "README.zh-CN.md"
CHINESE_PAGES = "docs/zh-CN/"
LANGUAGE_LINK = re.compile(r"^\[(?:English|中文)\]\([^)]*\)\n\n", re.M)  # the page's head has one
# The end of a line beside punctuation as wide as a Chinese character: a browser would show a space there.
WIDE = "[\u3000-\u303f\uff00-\uffef]"
LINE_END = re.compile(rf"(?<={WIDE})\n *(?![\s|#<>]|[-*] |\d+\. )|(?<!\n)\n *(?={WIDE})")
WORDS = {"en": {"skip": "Skip to the text", "menu_word": "Menu", "search": "Search", "theme": "Light / dark",
                "pages": "Pages", "other_name": "中文"},
         "zh-CN": {"skip": "跳到正文", "menu_word": "目录", "search": "搜索", "theme": "浅色 / 深色",
                   "pages": "页面", "other_name": "English"}}
API = "python/api.md"  # made from docstrings; no such file exists


def pages():
    """The pages, by their paths in the source tree."""
    found = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"),
             *ROOT.glob("src/policy/*/README*.md"), *ROOT.glob("python/README*.md")]
    return sorted([API, *(path.relative_to(ROOT).as_posix() for path in found)])


def text_of(page):
    """Returns the page's Markdown. README.md's list of documents gets the page made from docstrings."""
    if page == API:
        return python_api.page()
    text = LANGUAGE_LINK.sub("", (ROOT / page).read_text(encoding="utf-8"), count=1)
    if language_of(page) == "zh-CN":
        text = installed_links.outside_code(text, lambda part: LINE_END.sub("", part))
    if page in ("README.md", CHINESE):
        text = re.sub(r"\[Python\]\(python/README[^)]*\)", rf"\g<0>, [Python API]({API})", text, count=1)
    return text


def language_of(page):
    return "zh-CN" if page.endswith(CHINESE) or page.startswith(CHINESE_PAGES) else "en"


def in_other_language(page, known):
    """Returns the same page in the other language, or None."""
    if language_of(page) == "zh-CN":
        there = page.replace(CHINESE, "README.md").replace(CHINESE_PAGES, "docs/")
    elif page.startswith("docs/"):
        there = CHINESE_PAGES + page[len("docs/"):]
    else:
        there = page.replace("README.md", CHINESE)
    return there if there in known and there != page else None


def address(page):
    """Returns the page's file in the site."""
    return "index.html" if page == "README.md" else page[:-len(".md")] + ".html"


def between(here, there):
    """Returns a link from one file of the site to another."""
    return os.path.relpath(there, os.path.dirname(here) or ".")


def slug(text, _separator):
    """Returns a heading's name as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


def with_site_links(text, page, known):
    """Points links at the site's pages. Links to other files become text."""
    def replace(found):
        label, target = found.groups()
        if installed_links.is_elsewhere(target):
            return found.group(0)
        path = installed_links.in_sources(ROOT / page, target, ROOT)
        heading = "#" + target.partition("#")[2] if "#" in target else ""
        if path in known:
            return f"[{label}]({between(address(page), address(path))}{heading})"
        return label if path in label else f"{label} (`{path}`)"

    return installed_links.outside_code(text, lambda part: installed_links.LINK.sub(replace, part))


def menu_of(readme, known):
    """Returns the sections of the list "Documents" of a README: their titles and (title, page) of each entry."""
    part = re.split(r"^## ", readme, flags=re.M)
    listed = next(text for text in part if "/USING.md)" in text and "/LIMITS.md)" in text)
    sections = []
    for item in re.split(r"^- ", listed, flags=re.M)[1:]:
        title = re.split("[:：]", item)[0]
        links = [(label, path) for label, path in re.findall(r"\[([^]]+)\]\(([^)#]+)\)", item) if path in known]
        sections.append((title, links))
    return sections


def menu_html(here, page, sections):
    lines = []
    for title, links in sections:
        lines.append(f"<h2>{html.escape(title)}</h2><ul>")
        for label, path in links:
            mark = ' aria-current="page"' if path == page else ""
            mark += "" if language_of(path) == language_of(page) else ' hreflang="en"'
            lines.append(f'<li><a href="{between(here, address(path))}"{mark}>{html.escape(label)}</a></li>')
        lines.append("</ul>")
    return "".join(lines)


def plain(text):
    """Returns the words of a page of HTML, for the search. A tag within a line is no space."""
    text = re.sub(r"</?(?:a|code|em|strong)\b[^>]*>", "", text)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text))).strip()


class Site:
    def __init__(self, folder):
        self.folder, self.known = folder, set(pages())
        self.frame = (PARTS / "site.html").read_text(encoding="utf-8")
        self.menus = {name: menu_of(text_of(name), self.known) for name in ("README.md", CHINESE)}
        self.index = []

    def write(self, page):
        here = address(page)
        text = with_site_links(text_of(page), page, self.known)
        maker = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"],
                                  extension_configs={"toc": {"slugify": slug}})
        body = maker.convert(text)
        title = re.sub(r"[`*]", "", text.partition("\n")[0].lstrip("# ")) or page
        language, same = language_of(page), in_other_language(page, self.known)
        home, other_home = ("README.md", CHINESE) if language == "en" else (CHINESE, "README.md")
        filled = {"title": html.escape(title), "body": body, "root": between(here, "."), "language": language,
                  "menu": menu_html(here, page, self.menus[home]), "home": between(here, address(home)),
                  "other": between(here, address(same or other_home)), **WORDS[language]}
        out = self.folder / here
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(re.sub(r"\{\{(\w+)\}\}", lambda found: filled[found.group(1)], self.frame), encoding="utf-8")
        self.index.append({"title": title, "page": here, "text": plain(body), "language": language,
                           "same": address(same) if same else None})

    def copy_pictures(self):
        for picture in [*ROOT.glob("docs/**/*"), *ROOT.glob("bench/results/published/*")]:
            if picture.suffix not in PICTURES:
                continue
            out = self.folder / picture.relative_to(ROOT)
            out.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(picture, out)

    def make(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        for page in sorted(self.known):
            self.write(page)
        self.copy_pictures()
        for name in ("site.css", "site.js"):
            shutil.copy(PARTS / name, self.folder / name)
        index = json.dumps(self.index, ensure_ascii=False).replace("</", "<\\/")
        (self.folder / "search.js").write_text(f"const PAGES = {index};\n", encoding="utf-8")


def main():
    folder = Path(sys.argv[1]).resolve()
    site = Site(folder)
    site.make()
    print(f"{len(site.known)} pages: open {folder / 'index.html'}")


if __name__ == "__main__":
    main()
