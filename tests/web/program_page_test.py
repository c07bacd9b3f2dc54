#!/usr/bin/python3
"""A program's own page, and the comparison of two times, in headless Chromium."""
import re
import time
from pathlib import Path

import page_rig
from page_rig import MOST_SEEN, NAME, PATIENCE_S, PROGRAMS


class ProgramPage(page_rig.PageCase):
    @staticmethod
    def set_field(browser, field, value, event):
        browser.js("const [id, value, event] = arguments, it = document.getElementById(id);"
                   "it.value = value; it.dispatchEvent(new Event(event))", field, value, event)

    def test_a_program_has_a_page_with_an_address(self):
        browser = self.open()
        pid = self.open_program(browser)
        title = "document.getElementById('program-title')"
        self.assertRegex(browser.js(f"return {title}.textContent"), rf"pid {pid} \(program\d\)")
        self.assertEqual(browser.js("return document.activeElement.id"), "program-title", "the focus")
        self.assertIn(str(pid), browser.js("return document.title"))
        browser.wait("/p50 /.test(document.getElementById('program-bursts').textContent)", "burst lengths are told")
        browser.open(browser.js("return location.href"))
        browser.wait(f"/program\\d/.test({title}.textContent)", "loaded again, it is the same page")
        browser.wait("document.getElementById('program-headline').textContent.length > 10", "with its reason")
        browser.click("[data-all]")
        browser.wait(f"{MOST_SEEN} == {PROGRAMS} && location.search == ''", "all programs are shown again")
        self.assertIn("name-link", browser.js("return document.activeElement.className"), "focus comes back")
        self.check_quiet(browser)

    def test_a_program_page_says_that_nothing_held_it_once_it_knows(self):
        browser = self.open()
        none = "['held-by-none', 'costs-none'].filter((id) => document.getElementById(id).checkVisibility())"
        browser.js("const get = fetch; window.fetch = (url, ...rest) => String(url).includes('explain') ? "
                   "new Promise((go) => { window.letGo = () => { window.fetch = get; go(get(url, ...rest)); }; }) "
                   ": get(url, ...rest)")
        browser.click(NAME)
        browser.wait("window.letGo && document.getElementById('program-live').checkVisibility()", "it asks why")
        self.assertEqual(browser.js(f"return {none}"), [])
        browser.js("window.letGo()")
        browser.wait("document.getElementById('program-headline').textContent.length > 10", "the answer is there")
        browser.wait(f"{none}.length + document.querySelectorAll('#held-by tbody tr').length > 0", "with what held it")

    def test_a_program_is_left_by_escape_and_by_the_browsers_back(self):
        browser = self.open()
        for leave in (lambda: browser.press("Escape"), lambda: browser.js("history.back()")):
            self.open_program(browser)
            leave()
            browser.wait("document.querySelector('main').dataset.view == 'all'", "all programs are shown")
            browser.wait("!location.search.includes('program')", "the address says so")

    def test_a_program_page_tells_who_delayed_it_and_by_how_much(self):
        browser = self.open()
        held = self.least_urgent()
        browser.js(f"document.querySelector('{NAME}[data-pid=\"{held}\"]').click()")
        row = browser.wait("document.getElementById('held-by').tBodies[0].rows[0] && "
                           "[...document.getElementById('held-by').tBodies[0].rows[0].cells].map((it) => it.innerText)",
                           "a program that delayed it is told")
        self.assertRegex(row[0], r"pid \d+ \(program\d\)")
        self.assertRegex(row[3], r"^[\d.]+ (s|ms)$")
        browser.wait("document.querySelectorAll('#longest tbody tr').length > 0", "its longest bursts are told")
        browser.click("#held-by a")
        browser.wait(f"!location.search.endsWith('={held}')", "the link leads to the other program")
        browser.wait("document.querySelectorAll('#costs tbody tr').length > 0", "which tells what it delayed")
        self.check_quiet(browser)

    def test_a_program_page_tells_its_p99_against_the_target(self):
        browser = self.open()
        pid = self.least_urgent()
        for target, word in (("1us", "missed"), ("1000s", "met")):
            self.xcli("hint", str(pid), "--slo-p99", target)
            browser.js(f"document.querySelector('{NAME}[data-pid=\"{pid}\"]').click()")
            told = browser.wait(f"/{word}; \\d+ of \\d+ bursts/.exec(document.getElementById('program-target')"
                                ".textContent)", f"a target of {target} is {word}")
            self.assertTrue(told)
        self.xcli("hint", str(pid), "--slo-p99", "0")

    def test_a_program_page_tells_its_memory(self):
        browser = self.open()
        browser.wait("document.querySelector('.chip.away') != null", "the program without its memory is shown")
        browser.js("document.querySelector('.chip.away').closest('tr').querySelector('a').click()")
        pairs = browser.wait("document.querySelector('#program-memory dd') && [...document.querySelectorAll("
                             "'#program-memory div')].map((it) => it.innerText.replace('\\n', ': '))", "memory is told")
        self.assertEqual(pairs, ["On its devices: 4 GiB", "On the host: 12 GiB", "Limit on each device: 20 GiB",
                                 "Stays on each device: 4 GiB", "Moves to the host: 7", "Waited for memory: 1.50 s"])

    def start_another(self):
        words = [str(self.given.crowd), self.environment["XSCHED_SOCKET"], "1", "1"]
        return page_rig.begin(words, self.environment, "programs")[0]

    @staticmethod
    def pids(browser):
        return set(browser.js(f"return [...document.querySelectorAll('{NAME}')].map((it) => it.dataset.pid)"))

    @staticmethod
    def end(crowd):
        crowd.terminate()
        crowd.wait(PATIENCE_S)
        crowd.stdout.close()

    def test_a_program_that_ended_is_among_its_last_runs(self):
        before = self.pids(self.open())
        crowd = self.start_another()
        browser = self.open(programs=PROGRAMS + 1)
        [newest] = self.pids(browser) - before
        browser.js(f"document.querySelector('{NAME}[data-pid=\"{newest}\"]').click()")
        browser.wait("document.getElementById('program-state').textContent in {runs: 1, held: 1, idle: 1}",
                     "it is there")
        self.end(crowd)
        ended = "document.getElementById('program-state').textContent == 'ended'"
        browser.wait(ended, "its page says that it ended")
        told = browser.js("return document.getElementById('program-headline').textContent")
        self.assertIn("what was last known", told)
        run = "document.querySelector('#runs tbody td')?.textContent"
        self.assertEqual(browser.wait(run, "its run is told"), newest)
        browser.js("sessionStorage.removeItem('xsched-runs')")
        browser.open(browser.js("return location.href"))
        browser.wait(ended, "a page that is loaded later says so as well")
        self.assertEqual(browser.wait(run, "as far as the server still knew it"), newest)
        told = browser.js("return document.querySelector('main').innerText")
        self.assertIn("The details of its bursts are gone with it", told)
        for sentence in ("did not hold it", "Nothing in the last minute", "What delayed it", "Lengths"):
            self.assertNotIn(sentence, told)
        self.check_quiet(browser)

    def test_a_program_page_fits_a_phone_and_is_used_by_keyboard(self):
        browser = self.open(width=400, height=800)
        pid = self.least_urgent()
        browser.js(f"document.querySelector('{NAME}[data-pid=\"{pid}\"]').focus()")
        browser.press("Enter")
        browser.wait("document.querySelectorAll('#held-by a').length > 0", "the page is filled")
        browser.js("document.getElementById('compare-toggle').click()")
        browser.click("#take-a")
        browser.click("#take-b")
        self.assertLessEqual(browser.js("return document.documentElement.scrollWidth"), 400)
        reached = set()
        for _ in range(40):
            browser.press("Tab")
            reached.add(browser.js("const it = document.activeElement;"
                                   "return it.id || it.name || it.closest('[id]')?.id"))
        for name in ("timeline", "pause", "compare-toggle", "take-a", "take-b", "held-by", "priority", "suspend"):
            self.assertIn(name, reached)

    def test_a_number_of_no_program_says_so(self):
        browser = self.open(query="?program=1")
        told = browser.wait("document.getElementById('program-headline').textContent", "a sentence")
        self.assertIn("The server has no program with the number 1", told)

    def test_compares_two_times(self):
        crowd = self.start_another()  # the timeline knows it, but neither time has it
        self.open(programs=PROGRAMS + 1)
        self.end(crowd)
        browser = self.open()
        browser.click("#compare-toggle")
        browser.wait("document.getElementById('compare').checkVisibility()", "the comparison is open")
        time.sleep(2)  # so much of the past has its device time known
        self.set_field(browser, "span", 1, "change")
        browser.click("#take-a")
        self.assertTrue(browser.js("return document.getElementById('compared').hidden"), "B is missing")
        browser.click("#pause")
        self.set_field(browser, "at", 990, "input")
        browser.click("#take-b")
        taken = browser.js("return ['a', 'b'].map((side) => document.getElementById(`taken-${side}`).textContent)")
        self.assertNotEqual(*taken)
        self.assertEqual(browser.js("return document.querySelectorAll('#compared tbody').length"), PROGRAMS)
        lines = browser.js("""return [...document.querySelectorAll('#compared tbody')].map((body) =>
            [...body.rows].slice(1).map((row) => [...row.cells].map((it) => it.textContent))
                .map(([name, ...rest]) => [name, rest]))""")
        self.assertEqual([name for name, _ in lines[0]], ["Got", "Ran", "Held", "Bursts", "p50", "p99", "Held why"])
        lines = [dict(program) for program in lines]
        last = lines[-1]
        self.assertRegex(last["Held"][0], r"^\d+ %$")
        self.assertRegex(last["Held"][2], r"^[+−]\d+ points$")
        self.assertRegex(last["Held why"][0], r"behind pid \d+ \(program\d\) \(makes room for a more urgent")
        self.assertTrue(any(re.search(r"^\d+ %$", line["Got"][0]) for line in lines), lines)
        self.check_quiet(browser)

    def test_compares_two_recordings(self):
        files = [f"{self.folder.name}/{name}.xsrec" for name in ("before", "after")]
        for file in files:
            self.xcli("record", "-o", file, "-t", "700ms")
        browser = self.open()
        browser.click("#compare-toggle")
        for file, side in zip(files, "ab"):
            browser.upload("#file", file)
            browser.wait(f"document.getElementById('replay-name').textContent.includes('{Path(file).name}')",
                         "it is shown")
            self.set_field(browser, "span", 1, "change")
            browser.click(f"#take-{side}")
            self.assertIn(Path(file).name, browser.js(f"return document.getElementById('taken-{side}').textContent"))
        self.assertIn("paired by their names", browser.js("return document.getElementById('compare-told').textContent"))
        got = browser.js("return [...document.querySelectorAll('#compared tbody tr:nth-child(2) td:nth-child(2)')].map("
                         "(it) => it.textContent)")
        self.assertEqual(len(got), PROGRAMS)
        self.assertTrue(all(re.fullmatch(r"\d+ %", text) for text in got), got)
        self.check_quiet(browser)

    def test_a_drag_across_the_timeline_looks_closer(self):
        browser = self.open()
        browser.drag("#timeline", 300, 600)
        span = browser.js("return document.getElementById('span').selectedOptions[0].textContent")
        self.assertRegex(span, r"^[23]\.\d+ s$", "300 of some 1,000 pixels of ten seconds")
        self.assertEqual(browser.js("return document.getElementById('pause').textContent"), "Go on")
        self.assertEqual(browser.js("return document.querySelector('main').dataset.view"), "all", "a drag is no click")
        self.assertTrue(browser.js("return document.getElementById('position').checkVisibility()"))


if __name__ == "__main__":
    page_rig.main(__doc__)
