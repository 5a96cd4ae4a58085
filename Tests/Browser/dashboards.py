# SPDX-License-Identifier: Apache-2.0
"""A test of the dashboard."""

import json
import re
import urllib.error
import urllib.request
from urllib.parse import quote

from browser import PATIENCE
from pages import PageTest

TOKEN = "a-token-for-the-tests"
SAMPLE = "https://samples.pictor.invalid/valley.jpg"


def ask(url, token=None, order=None):
    """Status and text of an answer, whatever it is."""
    request = urllib.request.Request(url, data=None if order is None else json.dumps(order).encode())
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")


class DashboardTest(PageTest):
    # None: a daemon without one.
    token = TOKEN

    @classmethod
    def setUpClass(cls):
        cls.environment = {"PICTOR_ADMIN_TOKEN": cls.token} if cls.token else None
        super().setUpClass()

    def load(self):
        """The page, up to where it asks for the token or has its first moment."""
        self.browser.get(f"{self.daemon.admin}/ui")
        self.assertTrue(self.until(lambda: self.view() != "wait"), "the page is not ready")

    def open(self):
        self.load()
        if self.token:
            self.give(self.token)
        self.assertTrue(self.until(lambda: self.view() == "live"), self.text("#refusal"))
        self.until(lambda: self.text("#status") == "ready")

    def give(self, token):
        self.browser.js("document.querySelector('#token').value = arguments[0]; document.querySelector('#sign-in button').click()", token)

    def until(self, condition, seconds=PATIENCE):
        return self.browser.until(condition, seconds)

    def view(self):
        return self.browser.js("return document.documentElement.dataset.view")

    def click(self, selector):
        self.browser.js("document.querySelector(arguments[0]).click()", selector)

    def enter(self, selector, value):
        self.browser.js("const field = document.querySelector(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('input', {bubbles: true}))", selector, value)

    def admin(self, path, order=None):
        status, text = ask(self.daemon.admin + path, self.token, order)
        self.assertLess(status, 300, text)
        return json.loads(text)

    def picture(self, options, source=SAMPLE):
        """The status of a request for a picture."""
        return ask(f"{self.daemon.url}/img?url={quote(source, safe='')}&{options}")[0]

    def metric(self, name, label):
        """The sum of a metric's samples with that label, as `outcome="rendered"`."""
        lines = ask(f"{self.daemon.admin}/metrics")[1].split("\n")
        return sum(int(float(line.rsplit(" ", 1)[1])) for line in lines if line.startswith(name + "{") and label in line)

    def sums(self, chart):
        """The sum of each series of a chart over all seconds that it shows, read as a screen reader does: `{label: sum}`."""
        said = self.browser.js(
            "const plot = document.querySelector(`[aria-label='${arguments[0]}: values over time']`);"
            "const press = (key) => plot.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));"
            "const said = []; press('Home');"
            "for (let left = Number(plot.getAttribute('aria-valuemax')) + 1; left > 0; left -= 1) { said.push(plot.getAttribute('aria-valuetext')); press('ArrowRight'); }"
            "press('Escape'); return said;", chart)
        sums = {}
        for moment in said:
            for label, value in re.findall(r"(?:: |, )([a-z0-9 %]+?) ([\d.]+)(?=,|$)", moment):
                sums[label] = sums.get(label, 0) + float(value)
        return sums
