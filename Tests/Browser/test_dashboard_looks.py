# SPDX-License-Identifier: Apache-2.0
"""Sizes, themes, accessibility, and that nothing comes from elsewhere or becomes markup."""

import sys
import unittest
from urllib.parse import quote

from daemon import Origin
from dashboards import DashboardTest, ask
from pages import PageLooks

HOSTILE = "\"><img src=x onerror=window.broken=1><script>window.broken=1</script>${7*7}{{7*7}}'"


class Looks(PageLooks, DashboardTest):
    groups = ("#ranges",)

    def busy(self):
        """There is something in every list that can have something without an origin."""
        for width in (30, 31, 32):
            self.picture(f"w={width}")
        self.picture("w=30", "https://samples.pictor.invalid/a-picture-with-a-long-name-that-is-not-there-at-all.jpg?" + "x" * 300)
        self.picture("w=none")

    def test_no_width_overflows_and_axe_is_content(self):
        self.busy()
        for width in (320, 768, 1280, 2560):
            for theme in ("light", "dark"):
                with self.subTest(width=width, theme=theme):
                    self.browser.look(width, 900, theme)
                    self.open()
                    self.assertTrue(self.until(lambda: self.text("#errors .row")))
                    self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth"), width)
                    self.assertEqual(set(self.browser.js("return [...document.querySelectorAll('.legend .key')].map(k => k.offsetWidth)")), {10})
                    self.assertEqual(self.browser.violations(), [])

    def test_axe_is_content_with_the_token_and_with_each_dialog(self):
        self.busy()
        for width in (320, 1280):
            for theme in ("light", "dark"):
                self.browser.look(width, 900, theme)
                self.load()
                self.assertEqual(self.browser.violations(), [])
                self.give("not-the-token-of-the-tests")
                self.assertTrue(self.until(lambda: self.text("#token-error")))
                self.assertEqual(self.browser.violations(), [])
                self.open()
                self.assertTrue(self.until(lambda: self.text("#errors .row")))
                for press, dialog in (("#purge-open", "#purge"), ("#errors .row button", "#explain"), ("#warm-open", "#warm"), ("#drain", "#drain-dialog")):
                    with self.subTest(width=width, theme=theme, dialog=dialog):
                        self.click(press)
                        self.assertTrue(self.until(lambda: "Asking" not in self.text(dialog)))
                        self.assertTrue(self.browser.js("return document.querySelector(arguments[0]).open", dialog))
                        self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.browser.violations(), [])
                        self.browser.js("document.querySelector(arguments[0]).close()", dialog)

    def test_the_layout_does_not_jump(self):
        self.open()
        self.assertTrue(self.until(lambda: self.text("#decoders .decoder")))
        tops = lambda: self.browser.js("return [...document.querySelectorAll('.numbers > *, .charts > *')].map(e => Math.round(e.getBoundingClientRect().top + scrollY))")
        before = tops()
        self.busy()
        self.assertTrue(self.until(lambda: self.text("#targets .row") and self.text("#errors .row")))
        self.assertEqual(tops(), before)

    def test_the_focus_stays_while_a_list_changes(self):
        self.busy()
        self.open()
        self.assertTrue(self.until(lambda: self.text("#errors .row")))
        self.browser.js("document.querySelector('#errors button').focus()")
        name = lambda: self.browser.js("return document.activeElement.getAttribute('aria-label')")
        before = name()
        self.assertIn("Explain", before)
        self.picture("w=30", "https://samples.pictor.invalid/another-that-is-not-there.jpg")
        self.assertTrue(self.until(lambda: "another-that-is-not-there" in self.text("#errors")))
        self.assertEqual(name(), before)

    def test_nothing_is_loaded_from_elsewhere(self):
        self.browser.get("about:blank")
        self.browser.loaded()
        self.open()
        self.assertTrue(self.until(lambda: self.text("#decoders .decoder")))
        urls = self.browser.loaded()
        self.assertGreater(len(urls), 10)
        self.assertEqual([url for url in urls if not url.startswith((self.daemon.admin + "/", "about:"))], [])

    def test_the_first_view_is_light(self):
        self.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        self.browser.weight()
        self.load()
        weight = self.browser.weight()
        self.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
        self.assertGreater(weight, 10_000)
        self.assertLess(weight, 60_000)
        print(f"\n    first view: {weight} bytes", file=sys.stderr)

    def test_a_moment_costs_little(self):
        """By the CPU time of the page's own thread, with an hour shown, so that a busy machine changes nothing."""
        self.open()
        self.click("#ranges [data-value=hour]")
        self.browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        spent = lambda: next(each["value"] for each in self.browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"] if each["name"] == "TaskDuration")
        before, seen = spent(), {self.text("#about")}
        self.assertTrue(self.until(lambda: seen.add(self.text("#about")) or len(seen) > 5))
        each = (spent() - before) / (len(seen) - 1) * 1000
        print(f"\n    a moment: {each:.1f} ms", file=sys.stderr)
        self.assertGreater(each, 0)
        self.assertLess(each, 150)

    def test_what_strangers_say_is_text(self):
        origin = Origin(lambda path: (200, HOSTILE, HOSTILE.encode()))
        self.addCleanup(origin.stop)
        self.picture("w=3", HOSTILE)
        self.picture("w=3", f"{origin.url}/{HOSTILE}")
        self.picture("filename=" + quote(HOSTILE, safe=""), "https://samples.pictor.invalid/valley.jpg")
        # Not escaped at all, as far as a request line lets it.
        ask(self.daemon.url + "/img?url=https://samples.pictor.invalid/'%22onload=window.broken=1//<b>.jpg&w=3")
        ask(self.daemon.url + "/<svg/onload=window.broken=1>")
        self.open()
        self.assertTrue(self.until(lambda: "<script>" in self.text("#errors")), self.text("#errors"))
        self.assertTrue(self.until(lambda: "<svg/onload" in self.text("#errors")), self.text("#errors"))
        for number in range(self.browser.js("return document.querySelectorAll('#errors button, #targets button').length")):
            self.browser.js("document.querySelectorAll('#errors button, #targets button')[arguments[0]].click()", number)
            self.assertTrue(self.until(lambda: "Asking" not in self.text("#explain-body")))
            self.click("#explain-close")
        self.click("#purge-open")
        self.enter("#purge-kind", "host")
        self.enter("#purge-text", HOSTILE)
        self.click("#purge-count")
        self.assertTrue(self.until(lambda: self.text("#purge-result").startswith("host")))
        self.assertIsNone(self.browser.js("return window.broken ?? null"))
        self.assertEqual(self.browser.js("return document.querySelectorAll('img, body script, b [onload], svg[onload]').length"), 0)

    def test_it_cannot_be_framed(self):
        origin = Origin(lambda path: (200, "text/html", f"<iframe src='{self.daemon.admin}/ui'></iframe>".encode()))
        self.addCleanup(origin.stop)
        self.browser.get(origin.url)
        said = []
        self.until(lambda: said.extend(self.browser.complaints()) or any("frame-ancestors" in line or "X-Frame-Options" in line for line in said))
        self.assertTrue(any("frame" in line.lower() for line in said), said)

    def test_a_page_from_elsewhere_gives_no_orders_and_reads_nothing(self):
        self.picture("w=30")
        origin = Origin(lambda path: (200, "text/html", b"<!doctype html><title>elsewhere</title>"))
        self.addCleanup(origin.stop)
        self.browser.get(origin.url)
        order = ("const [url, token, done] = arguments; const send = (headers, mode) => fetch(url, {method: 'POST', mode, headers, body: '{\"all\":true}'})"
                 ".then(a => a.type === 'opaque' ? 'opaque' : a.status, () => 'failed');"
                 "Promise.all([send({}, 'no-cors'), send({Authorization: 'Bearer ' + token}, 'cors'), fetch(url.replace('purge', 'stats')).then(a => a.text(), () => 'failed')]).then(done)")
        blind, knowing, read = self.browser.execute_async_script(order, self.daemon.admin + "/admin/purge", self.token)
        self.assertEqual((blind, knowing), ("opaque", "failed"))
        self.assertNotIn("disk", read)
        self.assertEqual(self.admin("/admin/stats")["disk"]["originals"], 1)
        self.assertTrue(any("CORS" in line for line in self.browser.complaints()))


if __name__ == "__main__":
    unittest.main()
