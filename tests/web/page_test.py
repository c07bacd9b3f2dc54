#!/usr/bin/python3
"""The page of xcli web in headless Chromium: what it shows, what it changes, the keyboard, and what it never does."""
import re
import time
from pathlib import Path

from browser import free_port
import page_rig
from page_rig import MOST_SEEN, NAME, PATIENCE_S, PROGRAMS, QUEUES
from stranger import Stranger

FIRST_PAINT_MS = 5000  # the aim is 1000, on a machine with nothing else to do
REACHABLE = "a, button, select, input, canvas[tabindex]"
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
# A script that returns how often per second events came and the page was drawn, measured over `ms`.
RATES = """const [ms, done] = arguments, begin = {...xsched, at: performance.now()};
setTimeout(() => { const s = (performance.now() - begin.at) / 1000;
  done([(xsched.events - begin.events) / s, (xsched.drawn - begin.drawn) / s, xsched.draw_ms]); }, ms);"""


class Page(page_rig.PageCase):
    def card_name(self, browser):
        """The device's name on its card, as a pattern: other places of the page have the same."""
        name = browser.wait("document.querySelector('.device .name')?.textContent", "the device has a card")
        self.assertRegex(name, r"^device \d+, ")
        return re.escape(name)

    def test_shows_the_programs_and_is_quick_and_quiet(self):
        browser = self.open(query="?hz=60")
        paint = browser.wait(PAINT, "something is painted")
        print(f"first paint after {paint:.0f} ms")
        self.assertLess(paint, FIRST_PAINT_MS)
        self.assertNotIn("token", browser.js("return location.href"))
        browser.wait("document.getElementById('policy').value == 'HPF'", "the policy is shown")
        browser.wait("document.querySelectorAll('.device').length == 1", "the device is shown")
        browser.wait("document.querySelector('.chip.held') != null", "somebody is held")
        events, drawn, took = browser.js_later(RATES, 3000)
        print(f"{PROGRAMS * QUEUES} queues: {events:.0f} events and {drawn:.0f} pictures a second, "
              f"the last picture took {took:.1f} ms")
        self.assertGreater(events, 5)
        self.assertGreater(drawn, 5)
        self.check_quiet(browser)

    def test_the_timeline_begins_with_what_the_server_has_kept(self):
        self.open()
        time.sleep(2)  # the programs have run for so long, at least
        browser = self.open()
        past = browser.js("return xsched.past_s")
        self.assertGreater(past, 2)
        self.assertLess(past, 60, "30 s, and what passed until the answer came")
        self.check_quiet(browser)

    def test_opens_a_program_on_a_click_anywhere_in_the_row(self):
        browser = self.open()
        browser.click("#programs tbody tr td.number")
        browser.wait("document.querySelector('main').dataset.view == 'program'", "the program's page is shown")

    def test_says_that_a_search_finds_nothing(self):
        browser = self.open()
        search = "document.getElementById('find')"
        browser.js(f"{search}.value = 'zebra'; {search}.dispatchEvent(new Event('input'))")
        told = browser.wait("document.getElementById('no-match').hidden ? null "
                            ": document.getElementById('no-match').textContent", "it is said")
        self.assertEqual(told, f"No match: none of {PROGRAMS} programs has “zebra” in its line.")
        browser.js(f"{search}.value = ''; {search}.dispatchEvent(new Event('input'))")
        self.assertTrue(browser.js("return document.getElementById('no-match').hidden"))

    def test_paused_it_shows_the_time_and_how_to_go_on(self):
        browser = self.open()
        browser.click("#pause")
        self.assertEqual(browser.js("return document.getElementById('pause').textContent"), "Go on")
        browser.click("#pause")
        self.assertEqual(browser.js("return document.getElementById('pause').textContent"), "Pause")

    def test_saves_the_timeline_as_a_picture(self):
        browser = self.open()
        kind, size = browser.js_later("""const done = arguments[0], make = URL.createObjectURL;
            URL.createObjectURL = (file) => { done([file.type, file.size]); return make.call(URL, file); };
            document.getElementById('picture').click();""")
        self.assertEqual(kind, "image/png")
        self.assertGreater(size, 1000)
        browser.wait("document.getElementById('told').textContent.includes('saved')", "it is told")
        self.check_quiet(browser)

    def test_explains_by_keyboard_alone(self):
        browser = self.open()
        for _ in range(30):
            browser.press("Tab")
            if browser.js("return document.activeElement.id") == "timeline":
                break
        browser.press("Down", "Down", "Left")
        told = browser.wait("document.getElementById('timeline-told').textContent", "the chosen time is told")
        self.assertRegex(told, rf"pid \d+ \(program\d\) on {self.card_name(browser)}: (running|held|idle|runs)")
        browser.press("Enter")
        browser.wait("document.querySelector('main').dataset.view == 'program'", "Enter shows the program's page")
        self.check_quiet(browser)

    def test_everything_has_a_name_and_is_reached_by_tab(self):
        browser = self.open()
        nameless = browser.js("""return [...document.querySelectorAll('button, input, select, canvas')].filter((it) =>
            !(it.getAttribute('aria-label') || it.labels?.length || it.textContent.trim())).map((it) => it.id)""")
        self.assertEqual(nameless, [])
        wanted = browser.js(f"return [...document.querySelectorAll(`{REACHABLE}`)].length")
        reached = set()
        for _ in range(wanted + 10):
            browser.press("Tab")
            reached.add(browser.js("""const it = document.activeElement;
                return it === document.body ? '' : it.id || it.getAttribute('aria-label') || it.className"""))
        for name in ("policy", "file", "theme", "timeline", "span", "queues", "pause", "find"):
            self.assertIn(name, reached)
        self.assertEqual(len([name for name in reached if name.startswith("program") and ": why" in name]), PROGRAMS)

    def test_shows_where_memory_is(self):
        browser = self.open()
        browser.wait("document.querySelector('.chip.away') != null", "the program without its memory is shown")
        cells = """[...document.querySelector('.chip.away').closest('tr').querySelectorAll('.mem')].map(
            (it) => [...it.children].map((line) => line.textContent).join('|'))"""
        self.assertEqual(browser.js("return " + cells), ["4 GiB|12 GiB on host", "20 GiB|4 GiB stay",
                                                            "7|1.50 s waited"])
        headings = browser.js("return [...document.querySelectorAll('#programs th.mem')].map((it) => it.textContent)")
        self.assertEqual(headings, ["Memory", "Memory limit", "Swaps"])
        browser.click("[data-sort=memory]")
        browser.wait("document.querySelector('.name-link').textContent == 'program%d'" % (PROGRAMS - 1),
                     "the program with the most memory comes first")
        self.assertLessEqual(*browser.js("const at = document.querySelector('.scroll');"
                                         "return [at.scrollWidth, at.clientWidth]"), "all columns are in sight")
        shown = "[...document.querySelectorAll('#programs th.mem')].filter((it) => it.checkVisibility()).length"
        self.assertEqual(browser.js("return " + shown), 3, "limits and swaps, since some program has them")
        browser.js("document.querySelector('#programs').classList.add('stays')")
        self.assertEqual(browser.js("return " + shown), 1, "memory alone, where none can move")
        self.check_quiet(browser)

    def test_sorts_the_table_by_keyboard(self):
        browser = self.open()
        column = "[...document.querySelectorAll('#programs tbody tr td:nth-child(3)')].map((it) => +it.textContent)"
        sort = "document.querySelector('[data-sort=priority]').closest('th').getAttribute('aria-sort')"
        shown = browser.js("return " + column)
        self.assertEqual(shown, sorted(shown, reverse=True), "the most urgent first")
        self.assertEqual(browser.js("return " + sort), "descending")
        browser.js("document.querySelector('[data-sort=priority]').focus()")
        browser.press("Enter")
        self.assertEqual(browser.js("return " + column), sorted(shown))
        self.assertEqual(browser.js("return " + sort), "ascending")
        browser.click("[data-sort=program]")
        names = browser.js("return [...document.querySelectorAll('.name-link')].map((it) => it.textContent)")
        self.assertEqual(names, sorted(names))
        self.assertIsNone(browser.js("return " + sort))
        self.check_quiet(browser)

    def test_shows_the_lanes_of_queues(self):
        browser = self.open()
        height = "return document.getElementById('timeline').clientHeight"
        browser.wait("xsched.drawn > 5 && xsched.events > 20", "changes have come")
        before = browser.js(height)
        browser.js("document.getElementById('timeline').focus()")
        browser.press("Down", "q")
        browser.wait(f"document.getElementById('timeline').clientHeight > {before}", "queues of one program are shown")
        one = browser.js(height)
        browser.press("Down")
        told = browser.wait("document.getElementById('timeline-told').textContent", "the chosen queue is told")
        self.assertRegex(told, rf"pid \d+ \(program\d\) queue \d+ on {self.card_name(browser)}: ")
        browser.press("q")
        browser.wait(f"document.getElementById('timeline').clientHeight < {one}", "and hidden again")
        browser.click("#queues")
        browser.wait(f"document.getElementById('timeline').clientHeight > {one}", "those of all are shown")
        self.assertEqual(browser.js("return document.getElementById('queues').getAttribute('aria-pressed')"), "true")
        browser.click("#queues")
        browser.wait(f"document.getElementById('timeline').clientHeight <= {before}", "and hidden")
        self.check_quiet(browser)

    def test_changes_a_priority_after_a_question(self):
        browser = self.open()
        pid = int(browser.js(f"return document.querySelector('{NAME}').closest('tr').dataset.pid"))
        before = self.priority_of(pid)
        self.open_program(browser)
        browser.type("#change [name=priority]", "42")
        browser.press("Enter")
        browser.wait("document.getElementById('sure').open", "it asks first")
        question = browser.js("return document.getElementById('sure-question').textContent")
        self.assertRegex(question, rf"Set the priority from {before} to 42 of pid {pid} ")
        self.assertEqual(self.priority_of(pid), before, "nothing happens before the answer")
        browser.click("#sure [value=no]")
        browser.wait("!document.getElementById('sure').open", "no closes it")
        self.assertEqual(self.priority_of(pid), before)
        browser.click("#change .primary")
        browser.wait("document.getElementById('sure').open", "it asks again")
        browser.click("#sure [value=yes]")
        browser.wait("document.getElementById('told').textContent", "it says what came of it")
        self.assertEqual(self.priority_of(pid), 42)
        self.xcli("hint", str(pid), "-p", str(before))

    def test_a_hint_without_effect_says_so(self):
        browser = self.open()
        pid = self.open_program(browser)
        browser.type("#change [name=share]", "30")
        browser.press("Enter")
        browser.wait("document.getElementById('sure').open", "it asks")
        browser.click("#sure [value=yes]")
        told = browser.wait("document.getElementById('told').textContent", "it says what came of it")
        self.assertRegex(told, r"^The hint is set, but policy \w+ does not use share to decide who runs; .*\.$")
        self.xcli("hint", str(pid), "--share", "0")

    def test_what_is_refused_is_told(self):
        browser = self.open()
        browser.js("document.querySelector('#change [name=priority]').max = 999")
        self.open_program(browser)
        browser.type("#change [name=priority]", "300")
        browser.click("#change .primary")
        browser.wait("document.getElementById('sure').open", "it asks")
        browser.click("#sure [value=yes]")
        told = browser.wait("document.getElementById('told').textContent", "the server's sentence")
        self.assertIn("300", told)

    def test_changes_the_policy(self):
        browser = self.open()
        browser.wait("!document.getElementById('policy').disabled", "the policies are known")
        browser.js("""const it = document.getElementById('policy'); it.value = 'CFS';
                      it.dispatchEvent(new Event('change'))""")
        browser.wait("document.getElementById('sure').open", "it asks first")
        browser.click("#sure [value=yes]")
        browser.wait("/CFS/.test(document.getElementById('told').textContent)", "it says what came of it")
        self.assertEqual(self.xcli("policy", "-q")["policy"], "CFS")
        self.xcli("policy", "-s", "HPF")

    def test_replays_a_recording(self):
        file = self.folder.name + "/short.xsrec"
        self.xcli("record", "-o", file, "-t", "500ms")
        browser = self.open()
        browser.upload("#file", file)
        browser.wait("!document.getElementById('replay-name').hidden", "the replay begins")
        name = browser.js("return document.getElementById('replay-name').textContent")
        self.assertRegex(name, r"short\.xsrec, (0\.[5-9]|[1-9]\.\d) s", "as long as it was asked for, or longer")
        Path(file).write_text("nothing of the kind", encoding="utf-8")
        browser.upload("#file", file)
        browser.wait("/is no recording/.test(document.getElementById('told').textContent)", "it says what is wrong")
        browser.click("#replay-end")
        browser.wait("document.getElementById('replay-name').hidden", "back to live")
        self.check_quiet(browser)

    def test_fits_a_phone_in_both_colours_and_stands_still_if_asked(self):
        browser = self.open(width=400, height=800, dark=False, still=True)
        self.assertLessEqual(browser.js("return document.documentElement.scrollWidth"), 400)
        ground = "return getComputedStyle(document.body).backgroundColor"
        light = browser.js(ground)
        browser.click("#theme")
        self.assertNotEqual(browser.js(ground), light)
        self.assertEqual(browser.js("return getComputedStyle(document.querySelector('.dot')).animationName"), "none")
        self.assertLess(browser.js_later(RATES, 1000)[1], 8)
        browser.js("localStorage.clear()")

    def test_asks_for_the_token(self):
        browser = self.browser
        browser.open(self.origin)
        browser.js("sessionStorage.clear()")
        browser.open(self.origin)
        browser.wait("!document.getElementById('ask-token').hidden", "it asks for the token")
        browser.type("#token", self.url.split("#token=")[1])
        browser.press("Enter")
        browser.wait(f"{MOST_SEEN} == {PROGRAMS}", "the programs are shown")


    def test_tells_no_token_to_a_stranger_who_took_the_port(self):
        port = free_port()
        text = self.start([self.given.bin / "xcli", "web", "--listen", f"127.0.0.1:{port}"], "#token=")
        browser = self.browser
        browser.open(re.search(r"http://\S+", text)[0])
        browser.wait(f"{MOST_SEEN} == {PROGRAMS}", "the programs are shown")
        web = self.processes.pop()
        web.kill()
        web.wait(PATIENCE_S)
        web.stdout.close()
        with Stranger(port, "0" * 64) as stranger:
            browser.wait("!document.getElementById('ask-token').hidden", "it stops")
            why = browser.js("return document.getElementById('ask-token-why').textContent")
            self.assertIn("does not know the token", why)
            heard = stranger.end()
        self.assertGreater(len(heard), 0)
        for line in heard:
            self.assertNotIn("Authorization", line)
            self.assertNotIn(text.split("#token=")[1].strip(), line)


if __name__ == "__main__":
    page_rig.main(__doc__)
