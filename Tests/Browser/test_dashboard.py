# SPDX-License-Identifier: Apache-2.0
"""What the dashboard promises: it shows what happens, as the metrics count it, and gives orders that were looked at before."""

import http.client
import http.server
import os
import re
import socket
import tempfile
import threading
import unittest
import urllib.request
from urllib.parse import urlsplit

from daemon import Daemon, LocalServer, Origin
from dashboards import TOKEN, DashboardTest, ask
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

OUTCOMES = {"from memory": "memoryHit", "from disk": "diskHit", "rendered": "rendered", "known to fail": "negative", "refused": "refused"}


class Proxy(LocalServer):
    """Hands everything on, except for the stream of events, of which it keeps every byte."""

    def __init__(self, goal):
        self.end = threading.Event()

        class Handler(http.server.BaseHTTPRequestHandler):
            def hand_on(handler):
                if handler.path == "/admin/events" and "Authorization" in handler.headers:
                    self.end.wait(60)
                    return
                body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
                fields = {name: value for name, value in handler.headers.items() if name != "Connection"}
                way = http.client.HTTPConnection(urlsplit(goal).netloc, timeout=60)
                way.request(handler.command, handler.path, body, fields)
                answer = way.getresponse()
                content = answer.read()
                handler.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name not in ("Content-Length", "Date"):
                        handler.send_header(name, value)
                handler.send_header("Content-Length", str(len(content)))
                handler.end_headers()
                handler.wfile.write(content)
                way.close()

            do_GET = do_POST = hand_on

            def log_message(self, *words):
                pass

        super().__init__(Handler)

    def stop(self):
        self.end.set()
        super().stop()


class Counting(DashboardTest):
    def test_the_load_that_is_made_is_shown_as_the_metrics_count_it(self):
        self.picture("w=60")
        self.open()
        for _ in range(4):
            self.assertEqual(self.picture("w=60"), 200)
        for width in range(61, 66):
            self.assertEqual(self.picture(f"w={width}"), 200)
        for _ in range(3):
            self.assertEqual(self.picture("w=60", "https://samples.pictor.invalid/none.jpg"), 404)
        self.assertEqual(self.picture("w=none"), 400)
        count = lambda: {label: self.metric("pictor_requests_total", f'outcome="{outcome}"') for label, outcome in OUTCOMES.items()}
        # An answer is counted behind it.
        self.assertTrue(self.until(lambda: sum(count().values()) >= 14))
        counted = count()
        self.assertEqual(sum(counted.values()), 14)
        self.assertEqual(counted["from memory"], 4)
        shown = lambda: {label: self.sums("Answers").get(label) for label in OUTCOMES}
        self.assertTrue(self.until(lambda: shown() == counted))
        self.assertEqual(shown(), counted)
        # The same from the history alone.
        self.open()
        self.assertTrue(self.until(lambda: shown() == counted))
        self.assertEqual(shown(), counted)


class Showing(DashboardTest):
    def test_errors_stand_with_what_they_are_about_and_explain_themselves(self):
        for _ in range(2):
            self.assertEqual(self.picture("w=33", "https://samples.pictor.invalid/gone.jpg"), 404)
        self.open()
        row = "const row = [...document.querySelectorAll('#errors .row')].find(row => row.textContent.includes('gone.jpg'));"
        said = lambda: self.browser.js(row + "return row?.textContent ?? ''")
        # The second one is counted behind its answer.
        self.assertTrue(self.until(lambda: "404 × 2" in said()), said())
        self.assertIn("w=33", said())
        self.browser.js(row + "row.querySelector('button').click()")
        self.assertTrue(self.until(lambda: self.text("#explain .verdict")))
        self.assertIn("404 origin_status", self.text("#explain .verdict"))
        # Said when it comes.
        self.assertTrue(self.browser.js("return document.querySelector('#explain .verdict').matches('[role=status]')"))
        self.assertIn("gone.jpg", self.text("#explain dl"))
        # From there it is one step to the purge of it.
        self.click("#explain-purge")
        self.assertEqual(self.browser.js("return document.querySelector('#purge-text').value"), "https://samples.pictor.invalid/gone.jpg")
        self.assertTrue(self.browser.js("return document.querySelector('#purge').open"))

    def test_an_explanation_that_comes_late_takes_no_other_ones_place(self):
        for name in ("slow", "quick"):
            self.assertEqual(self.picture("w=34", f"https://samples.pictor.invalid/{name}.jpg"), 404)
        self.open()
        button = "[...document.querySelectorAll('#errors button')].find(each => each.getAttribute('aria-label')?.includes(arguments[0]))"
        for name in ("slow", "quick"):
            self.assertTrue(self.until(lambda: self.browser.js(f"return {button}", name)))
        # The first answer waits until the test lets it go.
        self.browser.js(
            "const real = window.fetch.bind(window); window.answered = false;"
            "window.fetch = async (path, options) => {"
            "  const answer = await real(path, options);"
            "  if (!path.includes('/admin/explain') || !path.includes('slow.jpg')) return answer;"
            "  const text = await answer.text();"
            "  await new Promise(go => { window.go = go; });"
            "  const late = new Response(text); late.json = async () => { setTimeout(() => { window.answered = true; }); return JSON.parse(text); };"
            "  return late;"
            "};")
        self.browser.js(f"{button}.click()", "slow")
        self.assertTrue(self.until(lambda: self.browser.js("return Boolean(window.go)")))
        self.click("#explain-close")
        self.browser.js(f"{button}.click()", "quick")
        self.assertTrue(self.until(lambda: "quick.jpg" in self.text("#explain dl")))
        self.browser.js("window.go()")
        self.assertTrue(self.until(lambda: self.browser.js("return window.answered")))
        self.assertIn("quick.jpg", self.text("#explain dl"))

    def test_requests_of_every_endpoint_are_explained(self):
        status, _ = ask(self.daemon.url + "/?url=https://samples.pictor.invalid/gone-too.jpg&w=44")
        self.assertEqual(status, 404)
        self.open()
        row = "const row = [...document.querySelectorAll('#errors .row')].find(row => row.textContent.includes('gone-too.jpg'));"
        self.assertTrue(self.until(lambda: self.browser.js(row + "return row")))
        self.browser.js(row + "row.querySelector('button').click()")
        self.assertTrue(self.until(lambda: self.text("#explain .verdict")))
        self.assertIn("gone-too.jpg", self.text("#explain dl"))

    def test_two_sizes_of_a_picture_have_buttons_of_different_names(self):
        for query in ("w=51", "w=52"):
            self.assertEqual(self.picture(query, "https://samples.pictor.invalid/named.jpg"), 404)
        self.open()
        names = "return [...document.querySelectorAll('#errors button')].map(each => each.ariaLabel).filter(each => each.includes('named.jpg'))"
        self.assertTrue(self.until(lambda: len(self.browser.js(names)) == 2), self.browser.js(names))
        self.assertEqual(len(set(self.browser.js(names))), 2)

    def test_a_signed_request_is_explained_without_its_signature_and_says_so(self):
        self.assertGreaterEqual(self.picture("w=46&sig=wrong", "https://samples.pictor.invalid/signed.jpg"), 400)
        self.open()
        row = "const row = [...document.querySelectorAll('#errors .row')].find(row => row.textContent.includes('signed.jpg'));"
        self.assertTrue(self.until(lambda: self.browser.js(row + "return row")))
        self.browser.js(row + "row.querySelector('button').click()")
        self.assertTrue(self.until(lambda: self.text("#explain .verdict")))
        self.assertIn("signed.jpg", self.text("#explain dl"))
        self.assertIn("without its signature", self.text("#explain-body"))

    def test_a_request_whose_secret_is_not_shown_is_not_explained(self):
        self.assertEqual(self.picture("w=45", "https://samples.pictor.invalid/opened.jpg?token=s3cr3t"), 404)
        self.open()
        row = "const row = [...document.querySelectorAll('#errors .row')].find(row => row.textContent.includes('opened.jpg'));"
        self.assertTrue(self.until(lambda: self.browser.js(row + "return row")))
        self.assertIn("?token=REDACTED", self.browser.js(row + "return row.textContent"))
        self.assertIn("It has a secret", self.browser.js(row + "return row.querySelector('.why').title"))
        self.assertFalse(self.browser.js(row + "return row.querySelector('button')"))
        # A signature of the source's own, in a URL that is not escaped.
        self.assertEqual(ask(f"{self.daemon.url}/img?url=https://samples.pictor.invalid/shared.jpg?sig=s3cr3t&w=45")[0], 404)
        row = row.replace("opened.jpg", "shared.jpg")
        self.assertTrue(self.until(lambda: self.browser.js(row + "return row")))
        self.assertFalse(self.browser.js(row + "return row.querySelector('button')"))

    def test_what_is_asked_for_most_is_shown(self):
        for _ in range(3):
            self.picture("w=77")
        self.open()
        self.assertTrue(self.until(lambda: "w=77" in self.text("#targets")))

    def test_budgets_and_decoders_are_those_of_the_daemon(self):
        self.open()
        live = self.admin("/admin/live")
        self.assertTrue(self.until(lambda: len(self.browser.find_elements(By.CSS_SELECTOR, "#decoders .decoder")) == len(live["decoders"])))
        self.assertIn("of 256 MiB", self.text("#budgets"))
        self.assertIn("of 1 GiB", self.text("#budgets"))

    def test_a_daemon_without_a_fleet_tells_of_none(self):
        self.open()
        self.assertTrue(self.browser.js("return document.querySelector('#fleet').hidden"))

    def test_an_origin_that_rests_and_a_fetch_under_way_are_shown(self):
        hold = threading.Event()
        self.addCleanup(hold.set)

        def answer(path):
            if "slow" in path:
                hold.wait(60)
            return 500, "text/plain", b"no"

        origin = Origin(answer)
        self.addCleanup(origin.stop)
        slow = threading.Thread(target=self.picture, args=("w=20", f"{origin.url}/slow.jpg"))
        self.open()
        slow.start()
        self.addCleanup(slow.join)
        self.addCleanup(hold.set)
        self.assertTrue(self.until(lambda: "slow.jpg" in self.text("#fetching")))
        for number in range(40):
            self.picture("w=20", f"{origin.url}/{number}.jpg")
            if self.admin("/admin/live")["resting_origins"]:
                break
        self.assertTrue(self.until(lambda: "rests" in self.text("#origins") or "is tried" in self.text("#origins")), self.text("#origins"))

    def test_origins_are_shown_with_the_worst_first(self):
        with open(os.path.join(os.path.dirname(__file__), "../../Sources/CWebPages/samples/glass.webp"), "rb") as file:
            picture = file.read()
        well = Origin(lambda path: (200, "image/webp", picture))
        ill = Origin(lambda path: (200, "image/webp", picture) if path < "/3" else (502, "text/plain", b"no"))
        for number in range(4):
            for origin in (well, ill):
                self.addCleanup(origin.stop) if number == 0 else None
                self.picture("w=20", f"{origin.url}/{number}.webp")
        self.open()
        rows = lambda: self.browser.js("return [...document.querySelectorAll('#origins .row')].map(row => row.textContent)")
        place = lambda url, *words: next((number for number, row in enumerate(rows()) if url in row and all(each in row for each in words)), None)
        self.assertTrue(self.until(lambda: place(well.url, "answers") is not None and place(ill.url, "25.0 % fail", "4 fetched") is not None), rows())
        self.assertLess(place(ill.url), place(well.url))

    def test_the_mark_beside_ready_says_whether_something_is_amiss(self):
        # Moments with a remark of the test's, asked for one by one.
        script = (
            "const real = window.fetch.bind(window); window.remark = null;"
            "window.fetch = async (path, options) => {"
            "  const answer = await real(path, options);"
            "  if (!answer.ok) return answer;"
            "  if (path === '/admin/events') { await answer.body.cancel(); throw new TypeError('no stream'); }"
            "  if (path !== '/admin/live') return answer;"
            "  const report = await answer.json();"
            "  if (window.remark) report.remark = window.remark;"
            "  return new Response(JSON.stringify(report));"
            "};")
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)
        mark = lambda: self.browser.js("return document.querySelector('#status').dataset.state")
        self.open()
        self.assertTrue(self.until(lambda: mark() == "ready"), mark())
        for remark, state in (("the disk is full", "amiss"), (None, "ready")):
            self.browser.js("window.remark = arguments[0]", remark)
            self.assertTrue(self.until(lambda: mark() == state), mark())
            self.assertEqual(self.text("#remark"), remark or "")

    def test_values_are_read_by_the_keyboard(self):
        self.open()
        self.assertTrue(self.until(lambda: int(self.browser.js("return document.querySelector('.plot').getAttribute('aria-valuemax')")) >= 3))
        plot = self.browser.find_element(By.CSS_SELECTOR, ".plot")
        plot.send_keys(Keys.HOME)
        first = plot.get_attribute("aria-valuetext")
        plot.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(plot.get_attribute("aria-valuenow"), "1")
        self.assertNotEqual(plot.get_attribute("aria-valuetext"), first)
        self.assertIn("from memory", plot.get_attribute("aria-valuetext"))
        self.assertRegex(self.text(".moment"), r"\d\d:\d\d:\d\d")
        plot.send_keys(Keys.ESCAPE)
        self.assertEqual(self.text(".moment"), "now")

    def test_each_range_is_read(self):
        self.open()
        for name in ("hour", "day", "5min"):
            self.browser.loaded()
            self.click(f"#ranges [data-value='{name}']")
            self.assertTrue(self.until(lambda: any(f"range={name}" in url for url in self.browser.loaded())))
            self.assertEqual(self.browser.js("return document.querySelector('#ranges [aria-pressed=true]').dataset.value"), name)

    def test_a_page_that_was_left_reads_no_more(self):
        for _ in range(3):
            self.open()
        self.assertTrue(self.until(lambda: self.admin("/admin/live")["readers"] == 1))
        self.browser.get("about:blank")
        self.assertTrue(self.until(lambda: self.admin("/admin/live")["readers"] == 0))

    def test_it_is_told_by_a_stream_and_asks_for_nothing_else(self):
        self.open()
        self.assertTrue(self.until(lambda: "up" in self.text("#about")))
        self.browser.loaded()
        # A minute, or somewhat more on a slow machine: each second is told in the page's words of how long the daemon is up.
        self.browser.js("window.told = new Set(); new MutationObserver(() => window.told.add(document.querySelector('#about').textContent)).observe(document.querySelector('#about'), {childList: true, characterData: true, subtree: true})")
        self.assertTrue(self.until(lambda: self.browser.js("return window.told.size") >= 60, 180), self.browser.js("return window.told.size"))
        self.assertEqual(self.browser.loaded(), [])
        self.assertEqual(self.admin("/admin/live")["readers"], 1)

    def test_it_asks_where_a_proxy_keeps_the_stream_back(self):
        proxy = Proxy(self.daemon.admin)
        self.addCleanup(proxy.stop)
        self.browser.get(f"{proxy.url}/ui")
        self.assertTrue(self.until(lambda: self.view() == "token"))
        self.give(TOKEN)
        self.assertTrue(self.until(lambda: self.view() == "live"))
        seen = set()
        self.assertTrue(self.until(lambda: seen.add(self.text("#about")) or len(seen) >= 3))
        self.assertGreaterEqual(len(seen), 3)
        # By way of a proxy, orders are those of the page all the same.
        self.click("#verify")
        self.assertTrue(self.until(lambda: self.text("#verify-words").startswith("Done")), self.text("#verify-words"))

    def test_it_asks_where_there_is_no_stream_left(self):
        place = urlsplit(self.daemon.admin)
        readers = []
        try:
            self.browser.get("about:blank")
            self.assertTrue(self.until(lambda: self.admin("/admin/live")["readers"] == 0))
            while len(readers) < 80:
                reader = socket.create_connection((place.hostname, place.port), 60)
                readers.append(reader)
                reader.sendall(f"GET /admin/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())
                if b" 503 " in reader.recv(400):
                    break
            self.assertEqual(len(readers), 65)
            self.open()
            seen = set()
            self.assertTrue(self.until(lambda: seen.add(self.text("#about")) or len(seen) >= 4))
            self.assertGreaterEqual(len(seen), 4)
            self.assertTrue(any(url.endswith("/admin/live") for url in self.browser.loaded()))
        finally:
            for reader in readers:
                reader.close()


class Ordering(DashboardTest):
    def test_a_purge_is_counted_then_confirmed(self):
        self.admin("/admin/purge", {"all": True})
        for width in (40, 41, 42):
            self.assertEqual(self.picture(f"w={width}"), 200)
        self.open()
        self.click("#purge-open")
        disabled = lambda: self.browser.js("return document.querySelector('#purge-go').disabled")
        self.assertTrue(disabled())
        self.enter("#purge-kind", "host")
        self.assertEqual(self.browser.js("return document.querySelector('#purge-text').placeholder"), "host.example")
        self.enter("#purge-text", "samples.pictor.invalid")
        self.click("#purge-count")
        self.assertTrue(self.until(lambda: not disabled()))
        said = self.text("#purge-result")
        self.assertIn("Would be removed: 1 original, 3 renditions, 3 answers in memory", said)
        self.assertEqual(self.admin("/admin/stats")["disk"]["originals"], 1)
        # Another choice was not counted.
        self.enter("#purge-text", "other.test")
        self.assertTrue(disabled())
        self.click("#purge-count")
        self.assertTrue(self.until(lambda: "Nothing in the cache matches" in self.text("#purge-result")))
        self.assertTrue(disabled())
        self.enter("#purge-kind", "all")
        self.click("#purge-count")
        self.assertTrue(self.until(lambda: not disabled()))
        self.click("#purge-go")
        self.assertTrue(self.until(lambda: self.text("#purge-result").startswith("Removed: 1 original, 3 renditions")))
        self.assertEqual(self.admin("/admin/stats")["disk"]["originals"], 0)
        self.assertTrue(disabled())

    def test_a_mistake_in_a_purge_stands_at_its_field(self):
        self.open()
        self.click("#purge-open")
        self.enter("#purge-kind", "host")
        self.enter("#purge-text", "no/host")
        self.click("#purge-count")
        self.assertTrue(self.until(lambda: self.text("#purge-result").startswith("host")))
        self.assertEqual(self.browser.js("return document.querySelector('#purge-text').getAttribute('aria-invalid')"), "true")

    def test_long_tasks_run_and_tell_how_it_went(self):
        self.assertEqual(self.picture("w=50"), 200)
        self.open()
        for task, words in (("verify", "0 damaged, 0 missing"), ("gc", "evicted")):
            self.click(f"#{task}")
            self.assertTrue(self.until(lambda: self.text(f"#{task}-words").startswith("Done") and words in self.text(f"#{task}-words")), self.text(f"#{task}-words"))
            self.assertEqual(self.admin(f"/admin/{task}")["state"], "done")

    def test_a_list_is_warmed_with_progress_and_failures(self):
        self.open()
        self.click("#warm-open")
        target = f"{self.daemon.url}/img?url=samples.pictor.invalid/"
        lines = [f"{target}valley.jpg&w={width}" for width in (401, 402)] + [f"{target}gone.jpg&w=20"]
        self.enter("#warm-targets", "\n".join(lines))
        self.browser.js(
            "const result = document.querySelector('#warm-result'); window.told = [];"
            "new MutationObserver(() => window.told.push(result.textContent)).observe(result, {childList: true, characterData: true, subtree: true})")
        self.click("#warm-go")
        self.assertTrue(self.until(lambda: self.text("#warm-result").startswith("Done")), self.text("#warm-result"))
        self.assertIn("3 of 3 pictures, 2 made, 0 held before, 1 failed", self.text("#warm-result"))
        # What a screen reader reads: that it begins, and how it ended.
        self.assertEqual([each.split(" of ")[0] for each in self.browser.js("return window.told")], ["Runs: 3 pictures.", "Done: 3"])
        self.assertIn("404 origin_status: " + lines[2], self.text("#warm-result"))
        self.assertEqual(self.admin("/admin/warm")["made"], 2)
        # More than an order holds goes in parts.
        self.enter("#warm-targets", "\n".join(f"{lines[0]}&filename={'x' * 60}{number}" for number in range(150)))
        self.click("#warm-go")
        self.assertTrue(self.until(lambda: "150 of 150 pictures, 0 made, 150 held" in self.text("#warm-result")), self.text("#warm-result"))
        self.enter("#warm-targets", "/img?url=a.com&w=x")
        self.click("#warm-go")
        self.assertTrue(self.until(lambda: '"w"' in self.text("#warm-result")), self.text("#warm-result"))

    def test_settings_are_read_anew(self):
        self.open()
        self.click("#reload")
        self.assertTrue(self.until(lambda: self.text("#reload-words") == "Nothing has changed."), self.text("#reload-words"))

    def test_the_token_is_asked_for_where_a_proxy_lets_no_stream_through(self):
        added = self.browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": (
            "const real = window.fetch.bind(window);"
            "window.fetch = (path, options) => path === '/admin/events' ? Promise.reject(new TypeError('no stream')) : real(path, options);")})
        self.addCleanup(self.browser.execute_cdp_cmd, "Page.removeScriptToEvaluateOnNewDocument", added)
        self.load()
        self.assertEqual(self.view(), "token")
        self.give(TOKEN)
        self.assertTrue(self.until(lambda: self.view() == "live"), self.view())

    def test_the_token_is_asked_for_and_kept_nowhere(self):
        self.load()
        self.assertEqual(self.view(), "token")
        self.give("")
        self.assertEqual(self.text("#token-error"), "Enter the token.")
        self.give("not-the-token-of-the-tests")
        self.assertTrue(self.until(lambda: "not the token" in self.text("#token-error")))
        self.assertEqual(self.view(), "token")
        self.give(TOKEN)
        self.assertTrue(self.until(lambda: self.view() == "live"))
        kept = self.browser.js("return JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href, document.documentElement.outerHTML, document.querySelector('#token').value])")
        self.assertNotIn(TOKEN, kept)
        self.load()
        self.assertEqual(self.view(), "token")


class TokenTakenBack(DashboardTest):
    def setUp(self):
        super().setUp()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "token")
        self.write(TOKEN)
        self.daemon = Daemon("--admin-token-file", self.file)
        self.addCleanup(self.daemon.stop)

    def write(self, token):
        with open(self.file + ".new", "w") as file:
            file.write(token + "\n")
        os.chmod(self.file + ".new", 0o600)
        os.rename(self.file + ".new", self.file)

    def test_a_page_whose_token_was_taken_back_shows_nothing_more_and_asks_for_another(self):
        self.open()
        self.write("another-token-for-the-tests")
        # The file is noticed, the stream ends, and the page's next one is refused.
        self.assertTrue(self.until(lambda: self.view() == "token"), self.view())
        self.assertEqual(ask(self.daemon.admin + "/admin/live", TOKEN)[0], 401)
        self.assertIn("not the token", self.text("#token-error"))
        self.assertFalse(self.browser.js("return document.querySelector('#token').offsetParent === null"))
        self.give("another-token-for-the-tests")
        self.assertTrue(self.until(lambda: self.view() == "live"))
        self.assertTrue(self.until(lambda: self.text("#status") == "ready"))

    def test_the_age_of_numbers_that_are_not_shown_is_not_told(self):
        self.open()
        self.write("another-token-for-the-tests")
        self.assertTrue(self.until(lambda: self.view() == "token"), self.view())
        self.daemon.process.terminate()
        self.daemon.process.wait(60)
        self.give("another-token-for-the-tests")
        self.assertTrue(self.until(lambda: self.text("#status") == "no connection"))
        self.assertFalse(self.browser.js("return document.querySelector('#remark').checkVisibility()"))
        # The browser tells of the connection that was refused.
        self.browser.complaints()


class Fleet(DashboardTest):
    def test_a_redis_that_is_away_is_told(self):
        daemon = Daemon("--fleet-redis", "unix:/nowhere/redis.sock", "--fleet-catch-up-timeout", "100ms",
                        environment={"PICTOR_ADMIN_TOKEN": TOKEN})
        self.addCleanup(daemon.stop)
        self.daemon = daemon
        self.open()
        self.assertTrue(self.until(lambda: self.text("#fleet").startswith("Fleet: Redis is away, all purges known ")), self.text("#fleet"))
        self.assertIn("0 purges wait for Redis, 0 gaps", self.text("#fleet"))
        self.assertFalse(self.browser.js("return document.querySelector('#fleet').offsetParent === null"))


class Refused(DashboardTest):
    def test_a_page_that_may_not_look_says_why(self):
        """As behind a proxy that lets the page through and not its questions."""
        def answer(path):
            if path.startswith("/admin"):
                return 403, "application/json", b'{"error": "elsewhere", "message": "Ask the <b>night watch</b>."}'
            with urllib.request.urlopen(self.daemon.admin + path, timeout=60) as page:
                return page.status, page.headers["Content-Type"], page.read()
        proxy = Origin(answer)
        self.addCleanup(proxy.stop)
        self.browser.get(f"{proxy.url}/ui")
        self.assertTrue(self.until(lambda: self.view() == "refused"), self.view())
        self.assertIn("Ask the <b>night watch</b>.", self.text("#refusal"))
        self.assertEqual(self.text("#status"), "refused")
        self.assertEqual(self.browser.js("return document.querySelectorAll('main').length"), 1)
        self.assertEqual(self.browser.violations(), [])


class Open(DashboardTest):
    token = None

    def test_without_a_token_numbers_are_shown_and_orders_refused_with_the_way_out(self):
        self.open()
        self.click("#purge-open")
        self.enter("#purge-kind", "all")
        self.click("#purge-count")
        self.assertTrue(self.until(lambda: "admin.token-file" in self.text("#purge-result")))
        self.click("#verify")
        self.assertTrue(self.until(lambda: "admin.token-file" in self.text("#verify-words")))


class Draining(DashboardTest):
    def test_a_drain_is_asked_about_and_watched_to_its_end(self):
        self.open()
        self.click("#drain")
        self.click("#drain-close")
        self.assertEqual(ask(self.daemon.admin + "/health/live")[0], 200)
        self.click("#drain")
        self.click("#drain-go")
        self.assertTrue(self.until(lambda: "has ended" in self.text("#drain-words")), self.text("#drain-words"))
        self.assertEqual(self.text("#status"), "no connection")
        # The numbers that stay say how old they are.
        self.assertRegex(self.text("#remark"), r"^The daemon does not answer. What is shown is of [0-9]{2}:[0-9]{2}:[0-9]{2}\.$")
        self.assertTrue(self.browser.js("return document.querySelector('#remark').checkVisibility()"))
        # A day later the time alone would be misread. The next try to connect says it again.
        self.browser.js(
            "const Real = Date; window.Date = class extends Real { constructor(...values) { super(...(values.length ? values : [Real.now() + 864e5])); } }")
        dated = r"^The daemon does not answer. What is shown is of [0-9]{1,2} [A-Z][a-z]+ [0-9]{4}, [0-9]{2}:[0-9]{2}:[0-9]{2}\.$"
        self.assertTrue(self.until(lambda: re.match(dated, self.text("#remark"))), self.text("#remark"))
        self.assertEqual(self.daemon.process.wait(60), 0)

    def tearDown(self):
        said = [line for line in self.browser.complaints() if "ERR_CONNECTION_REFUSED" not in line and "ERR_INCOMPLETE" not in line]
        self.assertEqual(said, [])


if __name__ == "__main__":
    unittest.main()
