# SPDX-License-Identifier: Apache-2.0
"""A headless browser with what the tests of pages ask of it."""

import json
import os
import time

import axe_playwright_python
from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

AXE = os.path.join(os.path.dirname(axe_playwright_python.__file__), "axe.min.js")
# Seconds for what a machine with much else to do may take its time with.
PATIENCE = 60
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


class Browser(webdriver.Chrome):
    def __init__(self, *words):
        options = Options()
        options.binary_location = "/usr/bin/chromium"
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--window-size=1280,900", *words):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        super().__init__(options=options, service=Service("/usr/bin/chromedriver"))
        self.set_page_load_timeout(PATIENCE)
        self.set_script_timeout(PATIENCE)

    def look(self, width=1280, height=900, theme="light", motion="no-preference", forced="none"):
        """Sets the size of the view and what the user's system asks for."""
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": theme}, {"name": "prefers-reduced-motion", "value": motion},
            {"name": "forced-colors", "value": forced}]})

    def pressed(self, group):
        """Whether it shows in a contrast theme which buttons of a group are pressed: they have colours that are not taken away, and
        others than the rest."""
        looks = self.execute_script(
            "return [...document.querySelectorAll(`${arguments[0]} [aria-pressed]`)].map(each => {"
            "const style = getComputedStyle(each); return [each.ariaPressed, style.forcedColorAdjust, style.backgroundColor]; })", group)
        pressed = {(adjust, colour) for state, adjust, colour in looks if state == "true"}
        others = {(adjust, colour) for state, adjust, colour in looks if state == "false"}
        return all(adjust == "none" for adjust, _ in pressed) and bool(pressed and others) and not pressed & others

    def js(self, text, *values):
        return self.execute_script(text, *values)

    def until(self, condition, seconds=PATIENCE):
        """The first true value of `condition()`; it is looked at again, never waited for blindly."""
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value or time.monotonic() > end:
                return value
            time.sleep(0.03)

    def violations(self):
        """What axe-core finds, one line each."""
        with open(AXE, encoding="utf-8") as file:
            self.execute_cdp_cmd("Runtime.evaluate", {"expression": file.read()})
        found = self.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {runOnly: {type: 'tag', values: arguments[0]}}).then(r => done(r.violations), e => done([{id: String(e), nodes: []}]))", RULES)
        return [f"{each['id']}: {'; '.join(node['html'][:120] for node in each['nodes'][:4])}" for each in found]

    def complaints(self):
        """Errors and warnings of the console since the last call. A refused picture is the page's business."""
        return [line["message"] for line in self.get_log("browser") if line["level"] in ("SEVERE", "WARNING")
                and "the server responded with a status of" not in line["message"]]

    def weight(self):
        """Bytes of all answers since the last call, as they came over the network."""
        messages = [json.loads(line["message"])["message"] for line in self.get_log("performance")]
        return sum(each["params"]["encodedDataLength"] for each in messages if each["method"] == "Network.loadingFinished")

    def loaded(self):
        """The URLs asked for since the last call."""
        messages = [json.loads(line["message"])["message"] for line in self.get_log("performance")]
        return [each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"]
