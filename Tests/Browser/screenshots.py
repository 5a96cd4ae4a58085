# SPDX-License-Identifier: Apache-2.0
"""Pictures of the pages, light and dark, into a folder."""

import math
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from browser import Browser
from daemon import Daemon

THEMES = [("", "light"), ("-dark", "dark")]
QUERY = "url=https%3A%2F%2Fsamples.pictor.invalid%2Fvalley.jpg&w=640&h=400&fit=cover&output=webp&q=60&mod=1,1.3,0"
LIMIT = 150_000


# Seconds of requests that the dashboard shows.
LOAD = 290


def shoot(browser, path):
    """The view as WebP."""
    with tempfile.TemporaryDirectory() as folder:
        raw = os.path.join(folder, "shot.png")
        browser.save_screenshot(raw)
        subprocess.run(["vips", "copy", raw, f"{path}[Q=82,strip,effort=6]"], check=True)
    size = os.path.getsize(path)
    print(f"{size:7} {path}")
    if size > LIMIT:
        sys.exit(f"more than {LIMIT} bytes")


def playground(goal, daemon, browser):
    for suffix, theme in THEMES:
        browser.look(1440, 900, theme)
        browser.get(f"{daemon.url}/playground?{QUERY}")
        ready = "return document.querySelector('.after')?.naturalWidth && document.querySelector('.before')?.naturalWidth && document.querySelector('#why dd')"
        if not browser.until(lambda: browser.js(ready)):
            sys.exit("no picture came")
        shoot(browser, os.path.join(goal, f"playground{suffix}.webp"))


def ask(daemon, end, random):
    """Requests as a small shop gets them, until `end`."""
    names = ["valley.jpg", "portrait.jpg", "words.png", "glass.webp", "gamut.jpg", "wheel.gif"]
    while time.monotonic() < end:
        luck = random.random()
        width = random.choice([160, 320, 480, 640]) if luck < 0.8 else random.randint(40, 900)
        name = random.choice(names) if luck < 0.97 else "gone.jpg"
        try:
            with urllib.request.urlopen(f"{daemon.url}/img?url=https://samples.pictor.invalid/{name}&w={width}&output=webp", timeout=20) as answer:
                answer.read()
        except urllib.error.HTTPError:
            pass
        # Some seconds are busier than others.
        time.sleep(random.random() * 0.1 * (1.3 + math.sin(time.monotonic() / 17)))


def dashboard(goal, daemon, browser):
    end = time.monotonic() + LOAD
    clients = [threading.Thread(target=ask, args=(daemon, end, random.Random(seed)), daemon=True) for seed in range(3)]
    for client in clients:
        client.start()
    for suffix, theme in THEMES:
        browser.look(1440, 1046, theme)
        browser.get(f"{daemon.admin}/ui")
        browser.until(lambda: time.monotonic() > end - 10, LOAD)
        if not browser.until(lambda: browser.js("return document.querySelector('#targets .row')")):
            sys.exit("the dashboard shows nothing")
        # The process that has no picture shows how much memory it has without one.
        time.sleep(2)
        shoot(browser, os.path.join(goal, f"dashboard{suffix}.webp"))
    for client in clients:
        client.join()


def main():
    goal = sys.argv[1]
    daemon, browser = Daemon(), Browser("--hide-scrollbars")
    try:
        dashboard(goal, daemon, browser)
        playground(goal, daemon, browser)
    finally:
        browser.quit()
        daemon.stop()


if __name__ == "__main__":
    main()
