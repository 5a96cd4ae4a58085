# SPDX-License-Identifier: Apache-2.0
"""Was this the right answer? If not: what was done to it that explains it?"""

import collections
import dataclasses
import hashlib
import queue
import re
import threading
import time

from .world import CONFIRMED_MEMORY, MEMORY

# Seconds after a shot in which an answer may say that there is no decoder.
AFTER_SHOT = 15
# Deliveries before a failure's memory began of which one may be held still: its lifetime may be longer.
HELD = 3
# What a mutated picture may be refused with; which of these it is depends on how far a decoder gets in its time.
REFUSALS_OF_PICTURES = {413, 415, 422, 504}
# What a mutated head may be answered with in place of a picture; 204 answers OPTIONS.
ANSWERS_TO_MUTATED_HEADS = {0, 204, 400, 404, 405, 408, 411, 413, 414, 415, 417, 421, 422, 431, 501, 505}


class Reference:
    """What a quiet daemon says to the same request: remembered by its digest.

    **Isolation:** a lock around the memory."""

    def __init__(self, daemon, quiet, most=60000):
        self.daemon, self.quiet, self.most = daemon, quiet, most
        self.lock = threading.Lock()
        self.known = collections.OrderedDict()

    def target(self, asked, variant):
        return asked.target.replace(f"%3A{asked.port}%2F", f"%3A{self.quiet.port}%2F").replace(
            f"%2Fc%2F{asked.name}%2F0", f"%2Fq%2F{asked.name}%2F{variant}")

    def answer(self, asked, variant):
        """Status, code, digest, entity tag, type and length."""
        target = self.target(asked, variant)
        fields = tuple(field for field in asked.fields if field[0] in ("Accept", "Range"))
        key = (target, asked.method, fields)
        with self.lock:
            if key in self.known:
                return self.known[key]
        for attempt in range(6):
            if not self.daemon.is_alive:
                raise RuntimeError("the reference has ended")
            reply = self.daemon.get(target, method=asked.method, fields=fields, timeout=90)
            if reply.status not in (0, 503):
                break
            time.sleep(0.5 * (attempt + 1))
        found = (reply.status, reply.code, self.digest(reply.body, self.quiet.port), reply["etag"], reply["content-type"],
                 reply["content-length"])
        with self.lock:
            self.known[key] = found
            while len(self.known) > self.most:
                self.known.popitem(last=False)
        return found

    def is_damaged(self, asked, variant):
        """Where all of it is decoded. A daemon that has met the damage refuses every size, for as long as it remembers."""
        source = re.search(r"[?&](url=[^&]*)", asked.target)
        if not source:
            return False
        whole = dataclasses.replace(asked, target=f"/img?{source[1]}&output=png", method="GET", fields=())
        return self.answer(whole, variant)[0] == 422

    def made_anew(self, asked, variant):
        """The same picture once more, from nothing; a decoder that reads beyond its input gives another one."""
        self.daemon.admin("/admin/purge", method="POST", body=b'{"all":true}', fields=[("Authorization", f"Bearer {TOKEN}")])
        with self.lock:
            self.known.clear()
        return self.answer(asked, variant)

    @staticmethod
    def digest(body, port):
        """Without the origin's port, which stands in a srcset."""
        return hashlib.sha256(body.replace(b"%d" % port, b"PORT")).digest()


TOKEN = "a-token-for-the-reference"


class Judge:
    """**Isolation:** a queue between clients and judges; counters under a lock."""

    def __init__(self, world, troubles, traffic_daemon, reference, say, keep=None, threads=4):
        """`keep` is a folder for the bodies of answers that are not explained."""
        self.world, self.troubles, self.daemon, self.reference, self.say = world, troubles, traffic_daemon, reference, say
        self.keep = keep
        self.queue = queue.Queue(maxsize=400)
        self.lock = threading.Lock()
        self.verdicts, self.statuses = collections.Counter(), collections.Counter()
        self.unexplained = []
        self.slowest = 0.0
        self.threads = [threading.Thread(target=self._run, daemon=True) for _ in range(threads)]
        for thread in self.threads:
            thread.start()

    def __call__(self, asked):
        self.queue.put(asked)

    def finish(self):
        for _ in self.threads:
            self.queue.put(None)
        for thread in self.threads:
            thread.join(120)

    def _run(self):
        while (asked := self.queue.get()) is not None:
            try:
                verdict = self._judge(asked)
            except Exception as error:  # A slip of the judge's must not end the hour.
                verdict = f"UNEXPLAINED: the judge failed: {type(error).__name__} {error}"
            with self.lock:
                self.statuses[str(asked.reply) if asked.reply.status != 200 or asked.reply.error else "200"] += 1
                self.slowest = max(self.slowest, asked.ended - asked.began)
                self.verdicts[verdict.partition(":")[0]] += 1
                if verdict.startswith("UNEXPLAINED"):
                    self.unexplained.append(verdict)
                    self._describe(asked, verdict)

    def _describe(self, asked, verdict):
        actions = [f"{action.kind}/{action.variant} {action.time - asked.ended:+.2f}" for action in self.world.done_to(asked.name, asked.began - MEMORY)]
        mangled = [f"{how} {path[-40:]} {moment - asked.ended:+.2f}" for moment, how, path in self.troubles.mangled_since(asked.began - 3)]
        shots = [f"{shot - asked.ended:+.2f}" for shot in list(self.troubles.shots) if shot > asked.began - AFTER_SHOT]
        known = [self.reference.answer(asked, variant) for variant in self._variants(asked)[:4]]
        expected = [f"{status} {code or kind} {length}" for status, code, _, _, kind, length in known]
        explained = self.daemon.admin(asked.target.replace("/img?", "/admin/explain?")).body if asked.target.startswith("/img?") else b""
        if self.keep:
            name = self.keep / f"{len(self.unexplained)}-{asked.name}"
            name.with_suffix(".asked").write_text(f"{asked}\n")
            name.with_suffix(".got").write_bytes(asked.reply.body)
            for variant in self._variants(asked)[:2]:
                right = self.reference.daemon.get(self.reference.target(asked, variant), fields=asked.fields)
                name.with_suffix(f".{variant}").write_bytes(right.body)
        self.say(f"{time.strftime('%H:%M:%S')} {verdict}\n    {asked.method} {asked.target} {dict(asked.fields)} from {asked.source}, "
                 f"{asked.reply} {asked.reply['cache-status']} after {asked.ended - asked.began:.2f} s; "
                 f"{asked.reply['content-type']}, {len(asked.reply.body)} bytes, expected {expected}\n    origin {asked.port}: {actions[-12:]}\n"
                 f"    files: {mangled[-12:]}; shots: {shots[-8:]}; disk {'full' if self.troubles.is_full else 'has room'}; "
                 f"loose {self.world.was_loose(asked.port, asked.began - 15)}; began {asked.reply.body[:60]!r}\n"
                 f"    now: {explained.decode(errors='replace')[:1500]}")

    # MARK: Verdicts

    def _judge(self, asked):
        reply = asked.reply
        if asked.is_head_mutated and reply.status in ANSWERS_TO_MUTATED_HEADS:
            return "mutated head"
        if asked.is_target_mutated and not (f"%3A{asked.port}%2F" in asked.target and f"%2Fc%2F{asked.name}%2F0" in asked.target):
            # It names another source, which neither origin may have.
            refused = 400 <= reply.status < 500 or reply.status in (502, 504) or reply.status == 503 and self.troubles.shot_since(
                asked.began - AFTER_SHOT)
            if reply.status == 302 and reply["location"] == "/playground" and asked.target.startswith("/?"):
                # The listener is on loopback, and no parameter url is left: what it shows there is its own page.
                return "mutated target led to the playground"
            return "mutated target refused" if refused else f"UNEXPLAINED: {reply} to a target that names no picture"
        if reply.status in (200, 206, 304, 416) and (reply.is_whole or not reply.error):
            return self._judge_good(asked)
        if reply.status in (200, 206) and self.troubles.mangled_since(asked.began - 1):
            return "cut, its file was being mangled"
        return self._judge_refusal(asked)

    def _variants(self, asked):
        """What its origin delivered and may be held, the latest first; and every version."""
        actions = self.world.done_to(asked.name, 0)
        return list(dict.fromkeys([action.variant for action in reversed(actions)] + ["0", "1", "2"]))

    def _refusing_variants(self, asked):
        """Those for which a refusal may stand now: what was delivered of late, and what may have been held since before."""
        actions = self.world.done_to(asked.name, 0)
        late = [action for action in actions if action.time >= asked.began - MEMORY]
        held = actions[:len(actions) - len(late)][-HELD:]
        return list(dict.fromkeys([action.variant for action in reversed(held + late)] + ["0", "1", "2"]))[:8 + HELD]

    def _judge_good(self, asked):
        for variant in self._variants(asked):
            if self._is_equal(asked, variant):
                return "equal to the reference"
        return self._judge_wrong(asked)

    def _is_equal(self, asked, variant):
        reply = asked.reply
        status, _, digest, tag, kind, length = self.reference.answer(asked, variant)
        if reply.status == 304:
            return dict(asked.fields).get("If-None-Match") == tag and tag is not None
        if reply.status == 416:
            return status == 416
        if asked.method == "HEAD":
            return (status, tag, length) == (reply.status, reply["etag"], reply["content-length"])
        if status == 200 and reply.status == 206 or status != reply.status:
            return False
        return digest == Reference.digest(reply.body, asked.port) and kind == reply["content-type"]

    def _judge_wrong(self, asked):
        for variant in self._variants(asked)[:3]:
            self.reference.made_anew(asked, variant)
            if self._is_equal(asked, variant):
                return "not the same each time it is made"
        if self.troubles.shot_since(asked.began - AFTER_SHOT) and self._is_larger_in_another_format(asked):
            return "larger, as its own format could not be made"
        if self.world.was_loose(asked.port, asked.began - 2):
            # What came behind an answer after the next request was sent cannot be told from that one's answer at once.
            time.sleep(max(0, asked.ended + 1 - time.time()))
            again = self._ask_again(asked)
            if again.reply.status != 200 or any(self._is_equal(again, variant) for variant in self._variants(asked)):
                return "wrong for less than a second after excess bytes"
        return f"UNEXPLAINED: a wrong {asked.reply.status}"

    def _is_larger_in_another_format(self, asked):
        """With `output=auto`, a result larger than the original is made again in the original's format; where that fails, it is given."""
        formats = {"image/jpeg": "jpg", "image/webp": "webp", "image/avif": "avif", "image/png": "png"}
        output = formats.get(asked.reply["content-type"])
        if not output or asked.reply.status != 200 or re.search(r"[?&]output=(?!auto)", asked.target):
            return False
        named = dataclasses.replace(asked, target=re.sub(r"&output=auto", "", asked.target) + f"&output={output}")
        return any(
            self._is_equal(named, variant) and len(asked.reply.body) > int(self.reference.answer(asked, variant)[5] or 0)
            for variant in self._variants(asked)[:3])

    def _ask_again(self, asked):
        again = type(asked)(**{**vars(asked)})
        again.reply = self.daemon.get(asked.target, method=asked.method, fields=asked.fields)
        return again

    def _judge_refusal(self, asked):
        reply = asked.reply
        words = f"{reply.status} {reply.code}" if reply.code else str(reply.status)
        memory = CONFIRMED_MEMORY if reply.status == 415 else MEMORY
        expected = [self.reference.answer(asked, variant) for variant in self._refusing_variants(asked)]
        # An answer to HEAD has no words.
        if any(reply.status == status and (reply.code == code or asked.method == "HEAD") for status, code, *_ in expected):
            return "refused as the reference is"
        if self.world.is_mutated(asked.name) and reply.status in REFUSALS_OF_PICTURES and any(
                status in REFUSALS_OF_PICTURES for status, *_ in expected):
            return "mutated picture refused"
        if self.world.is_mutated(asked.name) and reply.status == 422 and any(
                self.reference.is_damaged(asked, variant) for variant in self._refusing_variants(asked)):
            return "mutated picture refused, damaged beyond what was asked for"
        for action in reversed(self.world.done_to(asked.name, asked.began - memory)):
            if any(words.startswith(status if asked.method != "HEAD" else status[:3]) for status in action.statuses):
                return f"origin's action, {action.kind}"
        if reply.status == 502 and self.world.was_loose(asked.port, asked.began - 8):
            return "a connection was out of step"
        if reply.status in (404, 410, 415, 422, 429) and self.world.was_loose(asked.port, asked.began - 8):
            return self._unless_it_lasts(asked, words)
        if reply.status == 503 and reply.code in ("origin_resting", "") and self.world.failing(asked.port, asked.began - 60) >= 5:
            return "its origin rests"
        if reply.status == 503 and reply.code != "origin_status" and self.troubles.shot_since(asked.began - AFTER_SHOT):
            return "decoders were shot"
        return f"UNEXPLAINED: {words}" + (f" ({reply.error})" if reply.error else "")

    def _unless_it_lasts(self, asked, words):
        """Garbage may have been taken for its picture, for a moment."""
        time.sleep(2)
        again = self._ask_again(asked)
        if f"{again.reply.status} {again.reply.code}" == words:
            return f"UNEXPLAINED: {words}, and so two seconds later"
        return "garbage instead of a picture, for less than two seconds"
