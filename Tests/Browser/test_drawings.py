# SPDX-License-Identifier: Apache-2.0
"""What SECURITY and the pages on pixels promise of a drawing that is passed on: as a document and within a page, without any policy of
content, it runs no script and asks for nothing."""

import unittest
import urllib.error
import urllib.parse
import urllib.request

from browser import Browser
from daemon import Daemon, Origin
from drawings import LIVE, OTHERS, filled

# Does what a reader may do: goes over each element, clicks it, gives it the focus. Then it asks for a page itself: what the drawing has
# asked for before has arrived once that has.
TOUCH = """
const done = arguments[arguments.length - 1], mark = arguments[0];
const touch = () => {
  for (const each of document.querySelectorAll('*')) {
    if (each.focus) each.focus();
    for (const name of ['mouseover', 'mouseenter', 'mousemove', 'mousedown', 'mouseup', 'click'])
      each.dispatchEvent(new MouseEvent(name, {bubbles: true, cancelable: true, view: window}));
  }
};
const frames = (count, then) => count ? requestAnimationFrame(() => frames(count - 1, then)) : then();
frames(3, () => { touch(); frames(3, () => fetch(mark, {mode: 'no-cors'}).finally(() => frames(2, done))); });
"""


class Drawings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.asked, cls.texts = [], {}

        def leak(path):
            cls.asked.append(path)
            return 200, "text/plain", b""

        def show(path):
            way, _, name = path[1:].partition("/")
            text = cls.texts.get(urllib.parse.unquote(name))
            if text is None:
                return 404, "text/plain", b""
            if way == "page":
                return 200, "text/html; charset=utf-8", b"<!DOCTYPE html><title>page</title><body>" + text + b"</body>"
            return 200, "image/svg+xml", text

        cls.listener, cls.site = Origin(leak), Origin(show)
        cls.addClassCleanup(cls.listener.stop)
        cls.addClassCleanup(cls.site.stop)
        cls.daemon = Daemon("--decoder-formats", "jpeg,png,svg", "--encoder-svg", "true")
        cls.addClassCleanup(cls.daemon.stop)
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.quit)

    def cleaned(self, name):
        """What the daemon makes of a drawing; nothing where it refuses it."""
        source = urllib.parse.quote(f"{self.site.url}/raw/{urllib.parse.quote(name)}", safe="")
        try:
            with urllib.request.urlopen(f"{self.daemon.url}/img?url={source}&svg", timeout=60) as answer:
                self.assertEqual(answer.headers["Content-Type"], "image/svg+xml")
                return answer.read()
        except urllib.error.HTTPError as refusal:
            self.assertEqual(refusal.code, 422, refusal.read())
            return None

    def shown(self, way, name):
        """Whether a script ran, and what was asked for, where the browser shows it so."""
        self.asked.clear()
        mark = f"{self.listener.url}/mark"
        self.browser.get("about:blank")
        self.browser.get(f"{self.site.url}/{way}/{urllib.parse.quote(name)}")
        ran = False
        try:
            self.browser.execute_async_script(TOUCH, mark)
            ran = self.browser.js("return !!top.ran")
        except Exception as gone:  # The drawing has led the browser elsewhere, which only one that is not cleaned may do.
            ran = f"it went away: {type(gone).__name__}"
        self.browser.until(lambda: "/mark" in self.asked, 5)
        return ran, [path for path in self.asked if path != "/mark" and path != "/favicon.ico"]

    def setUp(self):
        self.texts.clear()
        for name, text in {**LIVE, **OTHERS}.items():
            self.texts[name] = filled(text, f"{self.listener.url}/leak").encode()

    def test_a_drawing_that_is_passed_on_does_nothing(self):
        kept = {}
        for name in {**LIVE, **OTHERS}:
            kept[name] = self.cleaned(name)
            self.assertNotIn(b"LEAK", kept[name] or b"")
        # Refused are those that declare an entity and those that are no XML.
        self.assertGreater(sum(text is not None for text in kept.values()), len(kept) * 3 // 4)
        self.texts.update({name: text for name, text in kept.items() if text is not None})
        for name, text in kept.items():
            if text is None:
                continue
            for way in ("document", "page"):
                with self.subTest(drawing=name, way=way):
                    self.assertEqual(self.shown(way, name), (False, []), text)
                    self.assertGreater(self.browser.js("return document.querySelectorAll('svg').length"), 0)

    def test_without_that_they_would(self):
        does = lambda name: any(self.shown(way, name) != (False, []) for way in ("document", "page"))
        # Shown again where it does nothing: what it asks for comes over a connection of its own, and may come behind the mark.
        idle = [name for name in LIVE if not self.browser.until(lambda: does(name))]
        self.assertEqual(idle, [])


if __name__ == "__main__":
    unittest.main()
