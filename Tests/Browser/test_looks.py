# SPDX-License-Identifier: Apache-2.0
"""Sizes, themes, accessibility, and that nothing comes from elsewhere or becomes markup."""

import sys
import unittest
from urllib.parse import quote

from daemon import Origin
from pages import PageLooks
from playgrounds import SAMPLE, PlaygroundTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

HOSTILE = "\"><img src=x onerror=window.broken=1><script>window.broken=1</script>${7*7}{{7*7}}'"


class Looks(PageLooks, PlaygroundTest):
    groups = ("#views", "#zooms", "#samples", "#snippets")

    def test_no_width_overflows_and_axe_is_content(self):
        for width in (320, 768, 1280, 2560):
            for theme in ("light", "dark"):
                with self.subTest(width=width, theme=theme):
                    self.browser.look(width, 900, theme)
                    self.open()
                    self.browser.js("for (const d of document.querySelectorAll('details')) d.open = true")
                    self.assertLessEqual(self.browser.js("return document.documentElement.scrollWidth"), width)
                    self.assertEqual(self.browser.violations(), [])

    def test_in_a_narrow_view_the_focus_goes_as_the_eye_does(self):
        self.browser.look(400, 800)
        self.open()
        self.assertTrue(self.browser.until(lambda: self.follows("#samples", "#views")))
        self.browser.look(1280, 800)
        self.assertTrue(self.browser.until(lambda: self.follows("#samples", "#find")))

    def test_a_view_that_becomes_narrow_keeps_the_focus(self):
        for field in ("#find", "#views button"):
            with self.subTest(field=field):
                self.browser.look(1280, 800)
                self.open()
                self.browser.js("document.querySelector(arguments[0]).focus()", field)
                self.browser.look(400, 800)
                self.assertTrue(self.browser.until(lambda: self.browser.js(
                    "const place = (part) => document.querySelector(part).getBoundingClientRect().top;"
                    "return place('#stage') < place('#controls')")))
                self.assertTrue(self.browser.js("return document.activeElement === document.querySelector(arguments[0])", field))

    def follows(self, first, second):
        """Whether Tab goes from the last button of one part into another."""
        self.browser.js("document.querySelector(`${arguments[0]} button:last-child`).focus()", first)
        ActionChains(self.browser).send_keys(Keys.TAB).perform()
        return self.browser.js("return document.activeElement.closest(arguments[0]) !== null", second)

    def test_axe_is_content_with_errors_and_with_tools(self):
        for query in ("url=" + SAMPLE + "&w=0", "url=ftp://example.com/a.jpg"):
            self.open(query)
            self.browser.until(lambda: self.text("#problem"))
            self.assertEqual(self.browser.violations(), [])
        self.open()
        self.browser.until(lambda: self.browser.js("return document.querySelector('.before').naturalWidth"))
        for tool in ("crop", "focal"):
            self.browser.js("document.querySelector(`#tools [data-value=${arguments[0]}]`).click()", tool)
            self.assertEqual(self.browser.violations(), [])

    def test_nothing_is_loaded_from_elsewhere(self):
        self.browser.loaded()
        self.open()
        urls = self.browser.loaded()
        self.assertTrue(urls)
        elsewhere = [url for url in urls if not url.startswith((self.daemon.url + "/", "data:", "blob:"))]
        self.assertEqual(elsewhere, [])

    def test_the_first_view_is_light(self):
        self.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        self.browser.weight()
        self.open()
        self.browser.until(lambda: self.text("#why dd"))
        weight = self.browser.weight()
        self.browser.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": False})
        self.assertGreater(weight, 20_000)
        self.assertLess(weight, 120_000)
        print(f"\n    first view: {weight} bytes", file=sys.stderr)

    def test_a_turn_of_a_knob_costs_little(self):
        """By the CPU time of the page's own thread, so that a busy machine changes nothing."""
        self.open()
        self.browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        spent = lambda: next(each["value"] for each in self.browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"] if each["name"] == "TaskDuration")
        before = spent()
        for value in range(20, 90):
            self.browser.js("const i = document.querySelector('[data-option=q] input[type=range]'); i.value = arguments[0]; i.dispatchEvent(new Event('input', {bubbles: true}))", value)
        each = (spent() - before) / 70 * 1000
        self.assertEqual(self.query()["q"], "89")
        print(f"\n    a turn: {each:.1f} ms", file=sys.stderr)
        self.assertGreater(each, 0)
        self.assertLess(each, 25)

    def test_what_strangers_say_is_text(self):
        origin = Origin(lambda path: (200, HOSTILE, HOSTILE.encode()))
        self.addCleanup(origin.stop)
        hostile = quote(HOSTILE, safe="")
        for query in (f"url={hostile}", f"url={quote(origin.url, safe='')}%2F{hostile}&w=3", f"url={SAMPLE}&w={hostile}",
                      f"url={SAMPLE}&filename={hostile}", f"url={SAMPLE}&bg={hostile}&fit={hostile}", f"url={SAMPLE}&{hostile}={hostile}"):
            with self.subTest(query=query):
                self.open(query)
                self.browser.until(lambda: self.text("#problem"), 3)
                for form in ("URL", "img", "picture", "CSS", "curl", "Sign"):
                    self.browser.js("document.querySelector(`#snippets [data-value='${arguments[0]}']`).click()", form)
                self.assertIsNone(self.browser.js("return window.broken ?? null"))
                self.assertEqual(self.browser.js("return document.querySelectorAll('img[src=x], body script').length"), 0)

    def test_it_cannot_be_framed(self):
        origin = Origin(lambda path: (200, "text/html", f"<iframe src='{self.daemon.url}/playground'></iframe>".encode()))
        self.addCleanup(origin.stop)
        self.browser.get(origin.url)
        self.browser.until(lambda: any("frame-ancestors" in line or "X-Frame-Options" in line for line in self.messages()))
        self.assertTrue(any("frame" in line.lower() for line in self.said), self.said)

    def messages(self):
        self.said = getattr(self, "said", []) + self.browser.complaints()
        return self.said


if __name__ == "__main__":
    unittest.main()
