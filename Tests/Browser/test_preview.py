# SPDX-License-Identifier: Apache-2.0
"""What the playground's preview promises: zoom around a point, the difference, words, and no work for pictures that nobody waits for."""

import json
import re
import sys
import unittest
import urllib.request

from playgrounds import SAMPLE, PlaygroundTest
from selenium.webdriver.common.by import By

SCROLL = "document.querySelector('.scroll')"


class Preview(PlaygroundTest):
    def metric(self, name):
        with urllib.request.urlopen(f"{self.daemon.admin}/metrics", timeout=60) as answer:
            lines = answer.read().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if re.match(name + r"[ {]", line))

    def zoom(self):
        return float(self.browser.js("return document.querySelector('#view').dataset.zoom"))

    def centre(self):
        return self.browser.js(f"const b = {SCROLL}.getBoundingClientRect(); return [b.left + b.width * 0.7, b.top + b.height * 0.4]")

    def under(self, x, y):
        """The pixel of the picture that is at a point of the page."""
        return self.browser.js(
            "const i = document.querySelector('.after'), b = i.getBoundingClientRect(), f = Math.min(b.width / i.naturalWidth, b.height / i.naturalHeight);"
            "return [(arguments[0] - b.left - (b.width - i.naturalWidth * f) / 2) / f, (arguments[1] - b.top - (b.height - i.naturalHeight * f) / 2) / f]", x, y)

    def wheel(self, x, y, delta, keys=2):
        self.browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta, "modifiers": keys})

    def test_the_wheel_zooms_around_the_cursor(self):
        self.open(f"url={SAMPLE}&w=900")
        # Larger than the view on both sides: a picture that is narrower stays in the middle.
        self.browser.find_element(By.CSS_SELECTOR, "#zooms [data-value='2']").click()
        x, y = self.centre()
        seen = self.under(x, y)
        for _ in range(4):
            before = self.zoom()
            self.wheel(x, y, -100)
            self.assertTrue(self.browser.until(lambda: self.zoom() > before), self.zoom())
        self.assertGreater(self.zoom(), 4)
        for now, then in zip(self.under(x, y), seen):
            self.assertAlmostEqual(now, then, delta=2)
        for _ in range(40):
            self.wheel(x, y, 100)
        self.assertTrue(self.browser.until(lambda: self.zoom() == 0), self.zoom())
        self.assertEqual(self.browser.js("return document.querySelector('#zooms [aria-pressed=true]').dataset.value"), "0")
        # Without Ctrl the wheel scrolls, as everywhere.
        self.wheel(x, y, -100, keys=0)
        self.assertEqual(self.zoom(), 0)

    def test_two_fingers_zoom_around_what_is_between_them(self):
        self.open(f"url={SAMPLE}&w=900")
        self.browser.find_element(By.CSS_SELECTOR, "#zooms [data-value='1']").click()
        self.browser.js(f"{SCROLL}.scrollTo(100, 40)")
        x, y = self.centre()
        seen = self.under(x, y)
        touch = lambda kind, gap: self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [] if kind == "touchEnd" else [{"x": x - gap, "y": y, "id": 1}, {"x": x + gap, "y": y, "id": 2}]})
        cut = self.browser.js("return document.querySelector('.cut').value")
        touch("touchStart", 30)
        for gap in range(40, 160, 10):
            touch("touchMove", gap)
        self.assertTrue(self.browser.until(lambda: self.zoom() > 2), self.zoom())
        for now, then in zip(self.under(x, y), seen):
            self.assertAlmostEqual(now, then, delta=3)
        touch("touchEnd", 0)
        self.assertEqual(self.browser.js("return visualViewport.scale"), 1)
        self.assertEqual(self.browser.js("return document.querySelector('.cut').value"), cut)

    def test_what_came_out_is_said_to_screen_readers(self):
        self.open(f"url={SAMPLE}&w=120")
        for width, size in (("120", "120 × 80"), ("90", "90 × 60")):
            self.enter("w", width)
            self.assertTrue(self.browser.until(lambda: size in self.text("#announcer")), self.text("#announcer"))
            self.assertRegex(self.text("#announcer"), r"^JPEG, .* kB$")

    def test_what_came_out_is_not_said_over_the_error_after_it(self):
        # The wait before it is told is held by the test.
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": (
            "const [set, clear] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)]; window.held = new Map();"
            "window.setTimeout = (work, wait, ...more) => {"
            "  if (wait !== 1000) return set(work, wait, ...more);"
            "  const id = `held ${Math.random()}`; held.set(id, work); return id;"
            "};"
            "window.clearTimeout = (id) => { if (!held.delete(id)) clear(id); };")})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)
        self.open(f"url={SAMPLE}&w=120")
        self.assertTrue(self.browser.until(lambda: self.browser.js("return held.size") == 1))
        self.enter("w", "0")
        self.assertTrue(self.browser.until(lambda: self.text("#o-w-error") != ""))
        self.browser.js("for (const work of held.values()) work()")
        self.assertEqual(self.text("#announcer"), self.text("#problem"))

    def test_keys_zoom(self):
        self.open()
        place = self.browser.find_element(By.CSS_SELECTOR, ".scroll")
        self.browser.js(f"{SCROLL}.focus()")
        place.send_keys("+++")
        self.assertGreater(self.zoom(), 0)
        place.send_keys("0")
        self.assertEqual(self.zoom(), 0)

    def test_the_difference_is_seen_and_told(self):
        self.open(f"url={SAMPLE}&output=webp&q=10")
        self.browser.find_element(By.CSS_SELECTOR, "#views [data-value=difference]").click()
        self.assertTrue(self.browser.until(lambda: "likeness" in self.text("#difference-words")), self.text("#difference-words"))
        rough = float(re.search(r"likeness ([0-9.]+)", self.text("#difference-words"))[1])
        # The words may come before what is drawn is seen.
        self.assertTrue(self.browser.until(lambda: self.light() > 2), self.light())
        strong = self.light()
        self.browser.js("const i = document.querySelector('#strength'); i.value = 0; i.dispatchEvent(new Event('input', {bubbles: true}))")
        self.assertTrue(self.browser.until(lambda: self.light() < strong / 3), self.light())
        self.enter("output", "png")
        self.browser.js("const i = document.querySelector('#strength'); i.value = 5; i.dispatchEvent(new Event('input', {bubbles: true}))")
        # Without loss nothing differs, however strong it is shown.
        self.assertTrue(self.browser.until(lambda: "likeness 1.000" in self.text("#difference-words")), self.text("#difference-words"))
        self.assertLess(rough, 0.99)
        self.assertTrue(self.browser.until(lambda: self.light() < 0.5), self.light())

    def light(self):
        """The mean brightness of what the view shows, from 0 to 255."""
        box = self.browser.js("const b = document.querySelector('.canvas').getBoundingClientRect(); return [b.left + b.width * 0.4, b.top + b.height * 0.4, b.width * 0.2, b.height * 0.2]")
        shot = self.browser.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", "clip": dict(zip(("x", "y", "width", "height"), box)) | {"scale": 1}})
        return self.browser.execute_async_script(
            "const [data, done] = arguments;"
            "fetch('/playground/icon.svg').then(() => createImageBitmap(new Blob([Uint8Array.from(atob(data), c => c.charCodeAt(0))], {type: 'image/png'}))).then(picture => {"
            "const context = new OffscreenCanvas(picture.width, picture.height).getContext('2d'); context.drawImage(picture, 0, 0);"
            "const bytes = context.getImageData(0, 0, picture.width, picture.height).data; let sum = 0;"
            "for (let i = 0; i < bytes.length; i += 4) sum += bytes[i] + bytes[i + 1] + bytes[i + 2]; done(sum / bytes.length * 4 / 3) })", shot["data"])

    def test_what_was_asked_and_how_it_came_about_is_told_in_words(self):
        self.open(f"url={SAMPLE}&w=311&we=1&output=webp&q=61&flip=1")
        told = "return [...document.querySelectorAll('.told p')].map(p => p.textContent)"
        self.assertTrue(self.browser.until(lambda: len(self.browser.js(told)) == 4), self.browser.js(told))
        recipe, story, time, reason = self.browser.js(told)
        self.assertEqual(recipe, "311 px wide, never enlarged, as WEBP at quality 61, flip.")
        self.assertRegex(story, r"made from it just now, and stays fresh for \d+ [a-z]+ more\.")
        self.assertRegex(time, r"took [0-9.]+ m?s.*; this browser waited")
        self.assertEqual(reason, "WEBP because output=webp asks for it.")
        self.open(f"url={SAMPLE}&w=311&we=1&output=webp&q=61&flip=1")
        self.assertTrue(self.browser.until(lambda: "It was in memory" in " ".join(self.browser.js(told))), self.browser.js(told))
        for query, words in ((f"url={SAMPLE}", "The original, encoded again."), (f"url={SAMPLE}&w=100&h=50&fit=cover", "Cut to fill 100 × 50 px."),
                             (f"url={SAMPLE}&output=auto&q=auto", "In the best format that the browser takes at the quality that this picture needs.")):
            self.open(query)
            self.assertTrue(self.browser.until(lambda: (self.browser.js(told) or [""])[0] == words), self.browser.js(told))

    def test_a_knob_that_turns_has_few_pictures_made(self):
        self.open(f"url={SAMPLE}&w=1600&output=avif")
        made = self.metric("pictor_renders_total")
        seconds = self.browser.execute_async_script(
            "const done = arguments[0], knob = document.querySelector('[data-option=q] input[type=range]'), began = performance.now(); let value = 30;"
            "const turn = () => { knob.value = value; knob.dispatchEvent(new Event('input', {bubbles: true})); value += 1; if (value < 60) setTimeout(turn, 10); else done((performance.now() - began) / 1000) }; turn()")
        self.assertEqual(self.query()["q"], "59")
        self.assertTrue(self.browser.until(lambda: "at quality 59" in self.text(".told")), self.text(".told"))
        # 30 turns within 0.3 s, or more on a slow machine: one picture at once, at most six a second, and the last one.
        self.assertTrue(self.browser.until(lambda: self.metric("pictor_requests_in_flight") <= 0))
        self.assertLessEqual(self.metric("pictor_renders_total") - made, 8 + 6 * seconds)

    def test_no_turn_blocks_the_page_for_long(self):
        """50 ms are what a browser calls a long task. By the CPU time of the page's own thread, so that a busy machine changes nothing."""
        self.open()
        self.browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        spent = lambda: next(each["value"] for each in self.browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"] if each["name"] == "TaskDuration")
        turns = []
        for value in range(20, 60):
            before = spent()
            self.browser.js("const i = document.querySelector('[data-option=q] input[type=range]'); i.value = arguments[0]; i.dispatchEvent(new Event('input', {bubbles: true}))", value)
            turns.append((spent() - before) * 1000)
        self.assertTrue(self.browser.until(lambda: "at quality 59" in self.text(".told")), self.text(".told"))
        long = [round(turn) for turn in turns if turn > 50]
        print(f"\n    {len(long)} of 40 turns over 50 ms, the longest {max(turns):.0f} ms", file=sys.stderr)
        self.assertGreater(max(turns), 0)
        self.assertLess(len(long), 4, long)


class TouchInput(PlaygroundTest):
    """In a browser of its own: Chromium delivers no touch of a later page after these."""

    def test_a_rectangle_is_not_drawn_by_two_fingers(self):
        self.open()
        self.assertTrue(self.browser.until(lambda: self.browser.js("return document.querySelector('.before').naturalWidth")))
        self.browser.find_element(By.CSS_SELECTOR, "#tools [data-value=crop]").click()
        before = self.query()
        x, y = self.browser.js("const b = document.querySelector('.layer').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]")
        touch = lambda kind, points: self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        touch("touchStart", [{"x": x, "y": y, "id": 1}, {"x": x + 40, "y": y, "id": 2}])
        for step in range(10, 100, 10):
            touch("touchMove", [{"x": x - step, "y": y, "id": 1}, {"x": x + 40 + step, "y": y, "id": 2}])
        touch("touchEnd", [])
        self.assertEqual(self.query(), before)


if __name__ == "__main__":
    unittest.main()
