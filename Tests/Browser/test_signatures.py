# SPDX-License-Identifier: Apache-2.0
"""Where URLs need a signature, the page has no more power than its visitor, and says what is missing."""

import subprocess
import sys
import unittest

from pages import SAMPLE, PlaygroundTest

KEY = "an-example-key-that-nobody-may-use"


class Signatures(PlaygroundTest):
    flags = ("--signatures-required", "all")
    environment = {"PICTOR_SIGNATURES_KEYS": KEY}

    def test_the_refusal_is_told_and_the_code_that_signs_works(self):
        self.open(f"url={SAMPLE}&w=200&fit=cover&h=90")
        self.assertIn("signed", self.text("#problem"))
        self.assertIn("signature", self.text("#snippet-note"))
        self.browser.js("document.querySelector(`#snippets [data-value='Sign']`).click()")
        parts = self.text("#snippet").split("\n\n")
        environment = {"PATH": "/usr/bin:/bin", "PICTOR_KEY": KEY}
        python = subprocess.run([sys.executable, "-c", parts[0]], env=environment, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
        shell = subprocess.run(["sh", "-c", parts[-1]], env=environment, capture_output=True, text=True, check=True, timeout=20).stdout.strip()
        self.assertEqual(python, shell)
        status = self.browser.execute_async_script("fetch(arguments[0]).then(r => arguments[1](r.status))", python)
        self.assertEqual(status, 200)


if __name__ == "__main__":
    unittest.main()
