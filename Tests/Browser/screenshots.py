# SPDX-License-Identifier: Apache-2.0
"""Pictures of the pages, light and dark, into a folder."""

import os
import subprocess
import sys
import tempfile

from browser import Browser
from daemon import Daemon

SHOTS = [("playground", "light"), ("playground-dark", "dark")]
QUERY = "url=https%3A%2F%2Fsamples.pictor.invalid%2Fvalley.jpg&w=640&h=400&fit=cover&output=webp&q=60&mod=1,1.3,0"
LIMIT = 150_000


def main():
    goal = sys.argv[1]
    daemon, browser = Daemon(), Browser("--hide-scrollbars")
    try:
        for name, theme in SHOTS:
            browser.look(1440, 900, theme)
            browser.get(f"{daemon.url}/playground?{QUERY}")
            ready = "return document.querySelector('.after')?.naturalWidth && document.querySelector('.before')?.naturalWidth && document.querySelector('#why dd')"
            if not browser.until(lambda: browser.js(ready)):
                sys.exit("no picture came")
            path = os.path.join(goal, f"{name}.webp")
            with tempfile.TemporaryDirectory() as folder:
                raw = os.path.join(folder, "shot.png")
                browser.save_screenshot(raw)
                subprocess.run(["vips", "copy", raw, f"{path}[Q=82,strip,effort=6]"], check=True)
            size = os.path.getsize(path)
            print(f"{size:7} {path}")
            if size > LIMIT:
                sys.exit(f"more than {LIMIT} bytes")
    finally:
        browser.quit()
        daemon.stop()


if __name__ == "__main__":
    main()
