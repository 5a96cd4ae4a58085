# SPDX-License-Identifier: Apache-2.0
"""Where URLs need a signature, the page has no more power than its visitor, and says what is missing."""

import re
import subprocess
import sys
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from daemon import PICTOR
from playgrounds import SAMPLE, PlaygroundTest

KEY = "an-example-key-that-nobody-may-use"
TOKEN = "a-token-for-tests"


class Signatures(PlaygroundTest):
    flags = ("--signatures-required", "all")
    environment = {"PICTOR_SIGNATURES_KEYS": KEY, "PICTOR_ADMIN_TOKEN": TOKEN}

    def test_the_refusal_is_told_and_the_code_that_signs_works(self):
        self.open(f"url={SAMPLE}&w=200&fit=cover&h=90")
        self.assertIn("signed", self.text("#problem"))
        for form in ("URL", "img", "picture", "CSS", "Loader", "curl"):
            self.browser.js("document.querySelector(`#snippets [data-value='${arguments[0]}']`).click()", form)
            self.assertIn("signature", self.text("#snippet-note"), form)
        self.browser.js("document.querySelector(`#snippets [data-value='Sign']`).click()")
        command = re.search(r"`(pictor [^`]+)`", self.text("#snippet-note"))[1]
        usage = subprocess.run([PICTOR, *command.split()[1:], "--help"], capture_output=True, text=True, timeout=60).stdout
        self.assertIn(f"USAGE: {command} ", usage)
        parts = self.text("#snippet").split("\n\n")
        environment = {"PATH": "/usr/bin:/bin", "SIGNING_KEY": KEY}
        python = subprocess.run([sys.executable, "-c", parts[0]], env=environment, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
        shell = subprocess.run(["sh", "-c", parts[-1]], env=environment, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
        self.assertEqual(python, shell)
        status = self.browser.execute_async_script("fetch(arguments[0]).then(r => arguments[1](r.status))", python)
        self.assertEqual(status, 200)

    def test_the_admins_token_has_pictures_signed(self):
        self.open(f"url={SAMPLE}&w=120")
        field = self.browser.find_element(By.ID, "token")
        field.send_keys("wrong", Keys.ENTER)
        self.assertTrue(self.browser.until(lambda: "wrong" in self.text("#token-error")))
        self.assertIsNone(self.picture())
        self.assertEqual(self.browser.violations(), [])
        field.clear()
        field.send_keys(TOKEN, Keys.ENTER)
        self.assertTrue(self.browser.until(lambda: self.picture() == [120, 80]))
        self.enter("w", "60")
        self.assertTrue(self.browser.until(lambda: self.picture() == [60, 40]))
        self.assertTrue(self.browser.until(lambda: "sig=" in self.text("#snippet")))
        self.browser.js("document.querySelector(`#snippets [data-value='URL']`).click()")
        self.assertTrue(self.browser.until(lambda: "Signed by Pictor" in self.text("#snippet-note")), self.text("#snippet-note"))
        self.assertNotIn("sig", self.query())
        kept = self.browser.js("return JSON.stringify([location.href, {...localStorage}, {...sessionStorage}, document.cookie])")
        self.assertNotIn(TOKEN, kept)


if __name__ == "__main__":
    unittest.main()
