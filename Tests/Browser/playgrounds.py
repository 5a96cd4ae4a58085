# SPDX-License-Identifier: Apache-2.0
"""A test of the playground."""

from urllib.parse import parse_qs, urlsplit

from pages import PageTest

SAMPLE = "https://samples.pictor.invalid/valley.jpg"


class PlaygroundTest(PageTest):
    def open(self, query=""):
        self.browser.get(f"{self.daemon.url}/playground{'?' + query if query else ''}")
        self.assertTrue(self.browser.until(lambda: self.browser.js("return document.documentElement.dataset.ready")), "the page is not ready")
        self.browser.until(lambda: self.picture() or self.text("#problem"))

    def picture(self):
        """Width and height of the picture that is shown; empty before it is."""
        return self.browser.js("const i = document.querySelector('.after'); return i.naturalWidth ? [i.naturalWidth, i.naturalHeight] : null")

    def query(self):
        """The options in the page's own address."""
        return {name: values[0] for name, values in parse_qs(urlsplit(self.browser.current_url).query, keep_blank_values=True).items()}

    def enter(self, option, value):
        """Types into the control of an option, as its user does."""
        self.browser.js(
            "const input = document.getElementById('o-' + arguments[0]);"
            "input.closest('details').open = true; input.focus();"
            "if (input.type === 'checkbox') input.click();"
            "else { input.value = arguments[1]; input.dispatchEvent(new Event(input.tagName === 'SELECT' ? 'change' : 'input', {bubbles: true})); }", option, value)
