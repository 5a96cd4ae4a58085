# SPDX-License-Identifier: Apache-2.0
"""What the playground promises: controls change picture and address, the address restores them, errors stand where they belong."""

import json
import os
import unittest
import urllib.request
from urllib.parse import parse_qsl, quote

from daemon import ROOT, Origin
from playgrounds import SAMPLE, PlaygroundTest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys


class Playground(PlaygroundTest):
    flags = ("--decoder-fonts", "sans,DejaVu Serif")

    def options(self):
        with urllib.request.urlopen(f"{self.daemon.url}/playground/options.json", timeout=60) as answer:
            return [option for group in json.load(answer)["groups"] for option in group["options"]]

    def test_each_option_has_a_control_that_changes_the_address(self):
        self.open()
        special = {"color": "ff0000", "length": "50%", "flag": None}
        texts = {"mod": "1,0.5,0", "delay": "80", "blur": "3", "sharp": "2", "json": "average", "default": "1", "filename": "cat",
                 "maxage": "1h", "preset": "x", "wm": "logo", "wmp": "tile", "ar": "16:9", "radius": "9", "pad": "5,7", "v": "2",
                 "asis": "gif", "fq": "jpg:60", "text": "Hello"}
        for option in self.options():
            kind, name = option["kind"], option["name"]
            if name in texts:
                value = texts[name]
            elif kind == "choice":
                value = next(each for each in option["choices"] if each != option["default_value"])
            elif kind in ("integer", "decimal", "number_or"):
                low = option["minimum"]
                value = str(int(low) if low == int(low) else low)
                value = value if value != option["default_value"] else str(option["maximum"]).removesuffix(".0")
            elif kind == "flag" and option["default_value"] not in ("0", "1"):
                value = "1"
            else:
                value = special[kind]
            with self.subTest(option=name):
                self.enter(name, value)
                self.assertIn(name, self.query())
                if value is not None:
                    self.assertEqual(self.query()[name], value)
                self.browser.js("document.querySelector('#reset').click()")
                self.assertEqual(set(self.query()), {"url"})

    def test_a_control_changes_the_picture(self):
        self.open()
        for option, value, size in (("w", "200", [200, 133]), ("h", "100", [150, 100]), ("fit", "cover", [200, 100]), ("ro", "90", [200, 100])):
            self.enter(option, value)
            self.assertTrue(self.browser.until(lambda: self.picture() == size), f"{option}={value}: {self.picture()}")
        self.enter("output", "webp")
        self.assertTrue(self.browser.until(lambda: "WEBP" in self.text("#facts")), self.text("#facts"))

    def test_the_address_restores_the_state(self):
        self.open(f"url={SAMPLE}&width=120&flip=1&output=png")
        self.assertEqual(self.browser.js("return document.getElementById('o-w').value"), "120")
        self.assertTrue(self.browser.js("return document.getElementById('o-flip').checked"))
        self.assertEqual(self.browser.js("return document.getElementById('o-output').value"), "png")
        self.assertEqual(self.picture(), [120, 80])

    def test_a_plus_in_the_address_is_a_plus_as_in_img(self):
        self.open("url=https://samples.pictor.invalid/a+b.jpg&filename=a")
        self.assertEqual(self.browser.js("return document.getElementById('source').value"), "https://samples.pictor.invalid/a+b.jpg")

    def test_what_differs_from_the_default_is_marked_and_counted(self):
        self.open(f"url={SAMPLE}&w=120&fit=cover")
        marked = "return [...document.querySelectorAll('.row.changed')].map(row => row.dataset.option)"
        self.assertEqual(self.browser.js(marked), ["w", "fit"])
        self.assertEqual(self.text("[data-group=Size] .count"), "2 set")
        self.enter("fit", "inside")
        self.assertEqual(self.browser.js(marked), ["w"])
        self.assertNotIn("fit", self.query())

    def test_each_dialect_makes_the_same_size(self):
        self.open(f"url={SAMPLE}&w=120")
        for form in ("URL", "wsrv.nl", "next/image"):
            self.browser.js("document.querySelector(`#snippets [data-value='${arguments[0]}']`).click()", form)
            size = self.browser.execute_async_script(
                "const [url, done] = arguments; const image = new Image(); image.onload = () => done([image.naturalWidth, image.naturalHeight]);"
                "image.onerror = () => done(null); image.src = url;", self.text("#snippet"))
            self.assertEqual(size, [120, 80], form)

    def test_an_option_is_found_by_its_words(self):
        self.open()
        self.browser.find_element(By.ID, "find").send_keys("gaussian")
        shown = "return [...document.querySelectorAll('.row')].filter(row => row.checkVisibility()).map(row => row.dataset.option)"
        self.assertEqual(self.browser.js(shown), ["blur"])

    def test_options_without_a_picture_are_for_the_first_sample(self):
        self.open("w=90&flop=1")
        self.assertEqual(self.picture(), [90, 60])
        self.assertTrue(self.browser.js("return document.getElementById('source').value").endswith("/valley.jpg"))
        self.assertTrue(self.browser.js("return document.getElementById('o-flop').checked"))

    def test_undo_and_redo(self):
        self.open()
        self.enter("w", "100")
        self.enter("flip", None)
        self.browser.find_element(By.ID, "undo").click()
        self.assertNotIn("flip", self.query())
        self.assertEqual(self.query()["w"], "100")
        self.browser.find_element(By.ID, "redo").click()
        self.assertEqual(self.query()["flip"], "1")

    def test_how_long_clients_keep_an_answer_is_told_without_its_age(self):
        with open(os.path.join(ROOT, "Sources/CWebPages/samples/glass.webp"), "rb") as file:
            picture = file.read()
        fields = {"Cache-Control": "max-age=7200", "Age": "3000"}
        origin = Origin(lambda path: (200, "image/webp", picture, fields))
        self.addCleanup(origin.stop)
        self.open(f"url={quote(origin.url + '/a.webp', safe='')}&w=20")
        kept = "return [...document.querySelectorAll('#facts div')].find(each => each.textContent.includes('clients keep it'))?.firstChild.textContent"
        self.assertTrue(self.browser.until(lambda: self.browser.js(kept)))
        self.assertEqual(self.browser.js(kept), "1 h")

    def test_a_sample_is_chosen(self):
        self.open()
        self.browser.find_element(By.XPATH, "//button[contains(., 'Transparency')]").click()
        self.assertTrue(self.query()["url"].endswith("/glass.webp"))
        self.assertTrue(self.browser.until(lambda: self.picture() == [640, 640]))

    def test_an_animation_is_paused_and_its_frames_are_chosen(self):
        self.open()
        self.assertFalse(self.browser.find_element(By.ID, "frames").is_displayed())
        before = self.browser.until(lambda: self.text("#facts b"))
        self.browser.find_element(By.XPATH, "//button[contains(., 'Animation')]").click()
        self.assertEqual(self.query()["n"], "-1")
        self.assertTrue(self.browser.until(lambda: self.text("#frames output") == "8 frames"))
        # The facts follow the picture.
        self.assertTrue(self.browser.until(lambda: self.text("#facts b") != before))
        playing = self.text("#facts b")
        self.browser.find_element(By.ID, "pause").click()
        self.assertEqual(self.text("#frames output"), "1 of 8")
        # One frame has fewer bytes than all.
        self.assertTrue(self.browser.until(lambda: self.text("#facts b") != playing))
        self.browser.find_element(By.ID, "frame").send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        self.assertEqual(self.text("#frames output"), "3 of 8")
        self.assertEqual(self.query()["n"], "-1")
        self.browser.find_element(By.ID, "pause").click()
        self.assertTrue(self.browser.until(lambda: self.text("#facts b") == playing), self.text("#facts b"))

    def test_a_link_is_pasted_and_dropped(self):
        self.open()
        for kind, transfer, url in (("paste", "clipboardData", "https://samples.pictor.invalid/words.png"), ("drop", "dataTransfer", "https://samples.pictor.invalid/glass.webp")):
            self.browser.js(
                "const [kind, name, url] = arguments; const data = new DataTransfer(); data.setData('text/plain', url);"
                "const make = kind === 'paste' ? new ClipboardEvent(kind, {clipboardData: data, bubbles: true}) : new DragEvent(kind, {dataTransfer: data, bubbles: true});"
                "document.querySelector('#stage').dispatchEvent(make);", kind, transfer, url)
            self.assertEqual(self.query()["url"], url)
            self.assertEqual(self.browser.js("return document.getElementById('source').value"), url)

    def test_an_error_stands_at_its_control(self):
        self.open()
        self.enter("w", "0")
        self.assertTrue(self.browser.until(lambda: "not allowed" in self.text("#o-w-error")))
        self.assertEqual(self.browser.js("return document.getElementById('o-w').getAttribute('aria-invalid')"), "true")
        self.assertIn("pixels", self.text("#problem"))
        self.enter("w", "90")
        self.assertTrue(self.browser.until(lambda: self.text("#o-w-error") == ""))
        self.assertIsNone(self.browser.js("return document.getElementById('o-w').getAttribute('aria-invalid')"))

    def test_a_mistake_in_the_url_stands_at_the_url(self):
        self.open("url=ftp://example.com/a.jpg")
        self.assertTrue(self.browser.until(lambda: self.text("#source-error") != ""))
        self.assertEqual(self.browser.js("return document.getElementById('source').getAttribute('aria-invalid')"), "true")

    def shown(self):
        """Which of picture, original and facts is to be seen."""
        return self.browser.js(
            "return ['.after', '.before', '#facts', '.tag.right'].filter(each => { const node = document.querySelector(each);"
            "return getComputedStyle(node).visibility === 'visible' && (node.tagName !== 'IMG' || node.hasAttribute('src')); })")

    def test_nothing_of_the_picture_before_is_shown_for_a_source_that_fails(self):
        origin = Origin(lambda path: (404, "text/plain", b"none"))
        self.addCleanup(origin.stop)
        self.open()
        self.assertTrue(self.browser.until(lambda: len(self.shown()) == 4), self.shown())
        self.browser.js("const f = document.querySelector('#source'); f.value = arguments[0]; f.dispatchEvent(new Event('change'))", origin.url + "/a.jpg")
        self.assertTrue(self.browser.until(lambda: "404" in self.text("#problem")))
        self.assertEqual(self.shown(), [])
        self.browser.js("document.querySelector('#undo').click()")
        self.assertTrue(self.browser.until(lambda: len(self.shown()) == 4), self.shown())
        self.assertEqual(self.text("#problem"), "")

    def test_the_facts_of_other_options_are_not_shown_beside_a_mistake(self):
        self.open()
        self.assertTrue(self.browser.until(lambda: len(self.shown()) == 4), self.shown())
        self.enter("w", "0")
        self.assertTrue(self.browser.until(lambda: self.shown() == [".after", ".before"]), self.shown())
        # The same would be refused again.
        self.assertFalse(self.browser.find_element(By.ID, "retry").is_displayed())

    def test_what_failed_is_asked_again_without_a_change(self):
        with open(os.path.join(ROOT, "Sources/CWebPages/samples/glass.webp"), "rb") as file:
            picture = file.read()
        state = {"status": 404}
        origin = Origin(lambda path: (state["status"], "image/webp", picture, {"Cache-Control": "no-store"}))
        self.addCleanup(origin.stop)
        self.open(f"url={quote(origin.url + '/a.webp', safe='')}&w=20")
        self.assertIn("404", self.text("#problem"))
        state["status"] = 200
        # The daemon may remember the failure for a while. The button is pressed again once the answer to the last press is there.
        press = "const b = document.querySelector('#retry'); if (document.querySelector('#problem').textContent) { b.focus(); b.click(); }"
        self.assertTrue(self.browser.until(lambda: self.browser.js(press) or self.picture()))
        self.assertEqual(self.picture(), [20, 20])
        # The button goes behind the picture, and the focus with it.
        self.assertTrue(self.browser.until(lambda: not self.browser.find_element(By.ID, "retry").is_displayed()))
        self.assertTrue(self.browser.until(lambda: self.browser.js("return document.activeElement.className") == "scroll"))

    def test_an_empty_url_is_asked_for(self):
        self.open()
        self.browser.js("const f = document.querySelector('#source'); f.value = ''; f.dispatchEvent(new Event('change'))")
        self.assertTrue(self.browser.until(lambda: "Enter the URL" in self.text("#problem")))
        self.assertEqual(self.shown(), [])

    def test_a_result_that_is_no_picture_is_shown_as_text(self):
        self.open(f"url={SAMPLE}&output=json")
        self.assertTrue(self.browser.until(lambda: '"width": 800' in self.text(".text")), self.text(".text"))
        self.assertTrue(self.browser.find_element(By.CSS_SELECTOR, ".text").is_displayed())
        self.assertEqual(self.browser.violations(), [])
        self.enter("output", "png")
        self.assertTrue(self.browser.until(lambda: self.picture()))
        self.assertTrue(self.browser.until(lambda: not self.browser.find_element(By.CSS_SELECTOR, ".text").is_displayed()))

    def test_each_option_has_a_label_in_words(self):
        self.open()
        labels = self.browser.js("return [...document.querySelectorAll('.row')].filter(row => !row.querySelector('label code')).map(row => row.dataset.option)")
        self.assertEqual(labels, [])

    def test_a_letter_acts_only_where_the_code_has_the_focus(self):
        self.open()
        self.browser.js("window.said = []; new MutationObserver(() => window.said.push(document.querySelector('#copy').textContent)).observe(document.querySelector('#copy'), {childList: true})")
        for place, acts in (("#undo", False), (".scroll", False), ("#snippet", True)):
            self.browser.js("document.querySelector(arguments[0]).dispatchEvent(new KeyboardEvent('keydown', {key: 'c', bubbles: true}))", place)
            if acts:
                self.assertTrue(self.browser.until(lambda: self.browser.js("return window.said.length")))
            else:
                self.assertEqual(self.browser.js("return window.said"), [])

    def test_what_is_copied_is_what_is_shown(self):
        self.open()
        self.browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"], "origin": self.daemon.url})
        # The word stands for a moment alone.
        self.browser.js("const copy = document.querySelector('#copy'); window.said = []; new MutationObserver(() => window.said.push(copy.textContent)).observe(copy, {childList: true})")
        for form in ("URL", "wsrv.nl", "next/image", "img", "picture", "CSS", "Loader", "curl", "Sign"):
            self.browser.js("document.querySelector(`#snippets [data-value='${arguments[0]}']`).click()", form)
            self.browser.js("window.said = []; document.querySelector('#copy').click()")
            self.assertTrue(self.browser.until(lambda: "Copied" in self.browser.js("return window.said")))
            copied = self.browser.execute_async_script("navigator.clipboard.readText().then(arguments[0], e => arguments[0](String(e)))")
            self.assertEqual(copied, self.text("#snippet"))
            self.assertIn("samples.pictor.invalid", copied) if form != "Loader" else self.assertIn("export default", copied)
            self.assertTrue(self.browser.until(lambda: self.text("#copy") == "Copy"))

    def test_the_loader_writes_a_space_and_a_plus_as_img_reads_them(self):
        self.open()
        self.browser.js("document.querySelector(`#snippets [data-value='Loader']`).click()")
        loader = self.text("#snippet").replace("export default ", "")
        url = self.browser.js(loader + "\nreturn pictor({ src: 'https://host/a b+c.jpg', width: 640 })")
        self.assertIn("/img?url=https%3A%2F%2Fhost%2Fa%2520b%2Bc.jpg&w=640&", url)

    def test_the_loader_names_the_site_of_a_path_and_keeps_the_other_options(self):
        self.open(f"url={SAMPLE}&w=300&h=200&fit=cover&sharp=1&q=60")
        self.browser.js("document.querySelector(`#snippets [data-value='Loader']`).click()")
        loader = self.text("#snippet").replace("export default ", "")
        url = self.browser.js(loader + "\nreturn pictor({ src: '/a.jpg', width: 600 })")
        self.assertTrue(url.startswith(self.daemon.url + "/img?"), url)
        asked = dict(parse_qsl(url.partition("?")[2]))
        self.assertEqual(asked, {
            "url": "https://www.example.com/a.jpg", "w": "600", "h": "400", "q": "60", "output": "auto", "fit": "cover", "sharp": "1"})

    def test_the_cost_is_told(self):
        self.open("url=" + SAMPLE + "&w=333")
        self.assertTrue(self.browser.until(lambda: "Encode" in self.text("#cost")), self.text("#cost"))
        self.assertTrue(self.browser.until(lambda: "333 × 222" in self.text("#facts")), self.text("#facts"))
        self.assertTrue(self.browser.until(lambda: "w=333" in self.text("#why")))

    def test_a_rectangle_by_mouse_and_by_keys(self):
        self.open()
        self.assertTrue(self.browser.until(lambda: self.browser.js("return document.querySelector('.before').naturalWidth")))
        self.browser.find_element(By.CSS_SELECTOR, "#tools [data-value=crop]").click()
        layer = self.browser.find_element(By.CSS_SELECTOR, ".layer")
        ActionChains(self.browser, duration=20).move_to_element_with_offset(layer, -100, -60).click_and_hold().move_by_offset(120, 80).release().perform()
        query = self.query()
        self.assertEqual(query["precrop"], "1")
        self.assertGreater(int(query["cw"]), 100)
        self.assertTrue(self.browser.until(lambda: self.picture() and abs(self.picture()[0] / self.picture()[1] - 1.5) < 0.05), self.picture())
        self.browser.js("document.querySelector('.crop').focus()")
        self.browser.find_element(By.CSS_SELECTOR, ".crop").send_keys(Keys.ARROW_RIGHT, Keys.SHIFT + Keys.ARROW_DOWN)
        self.assertGreater(int(self.query()["cx"]), int(query["cx"]))
        self.assertGreater(int(self.query()["ch"]), int(query["ch"]))

    def test_a_focal_point_by_click_and_by_keys(self):
        self.open()
        self.assertTrue(self.browser.until(lambda: self.browser.js("return document.querySelector('.before').naturalWidth")))
        self.browser.find_element(By.CSS_SELECTOR, "#tools [data-value=focal]").click()
        layer = self.browser.find_element(By.CSS_SELECTOR, ".layer")
        ActionChains(self.browser, duration=20).move_to_element_with_offset(layer, 90, 0).click().perform()
        query = self.query()
        self.assertEqual((query["a"], query["fit"]), ("focal", "cover"))
        self.assertGreater(float(query["fpx"]), 0.55)
        self.browser.find_element(By.CSS_SELECTOR, ".focal").send_keys(Keys.ARROW_LEFT)
        self.assertAlmostEqual(float(self.query()["fpx"]), float(query["fpx"]) - 0.01, places=3)

    def test_touch_drags_a_rectangle(self):
        self.open()
        self.assertTrue(self.browser.until(lambda: self.browser.js("return document.querySelector('.before').naturalWidth")))
        self.browser.find_element(By.CSS_SELECTOR, "#tools [data-value=crop]").click()
        box = self.browser.js("const b = document.querySelector('.layer').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]")
        touch = lambda kind, x, y: self.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [] if kind == "touchEnd" else [{"x": x, "y": y}]})
        before = self.query()
        touch("touchStart", box[0], box[1])
        touch("touchMove", box[0] + 60, box[1] + 40)
        touch("touchMove", box[0] + 80, box[1] + 50)
        touch("touchEnd", 0, 0)
        self.assertTrue(self.browser.until(lambda: self.query().get("cx") != before.get("cx")), self.query())

    def test_formats_side_by_side(self):
        self.open()
        self.browser.find_element(By.ID, "compare-formats").click()
        self.assertTrue(self.browser.until(lambda: self.browser.js("return document.querySelectorAll('.cards li').length") == 4))
        self.assertEqual(self.browser.js("return document.querySelectorAll('.cards .least').length"), 1)
        alike = self.browser.js("return [...document.querySelectorAll('.cards li')].map(card => Number(/likeness ([0-9.]+)/.exec(card.textContent)?.[1]))")
        self.assertEqual(alike[3], 1.0)
        self.assertTrue(all(0.8 < each <= 1 for each in alike) and min(alike) < 1, alike)
        self.browser.find_element(By.ID, "compare-qualities").click()
        self.assertTrue(self.browser.until(lambda: self.browser.js("return document.querySelectorAll('.chart circle').length") == 8))


if __name__ == "__main__":
    unittest.main()
