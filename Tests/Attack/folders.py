# SPDX-License-Identifier: Apache-2.0
"""What a client, and who may write into a folder of originals, do to get at what lies outside of it."""

import ctypes
import os
import threading
import time
import urllib.parse

from lab import pictures
from lab.case import case

SECRET = (97, 89)  # The size of the picture that nobody may see.


def _folders(lab):
    """The folder that is given away, and the one beside it with the secret."""
    root, outside = lab.folder / "photos", lab.folder / "photos-private"
    (root / "a" / "b").mkdir(parents=True)
    outside.mkdir()
    (outside / "secret.png").write_bytes(pictures.flat(*SECRET))
    (root / "a" / "b" / "open.png").write_bytes(pictures.flat(5, 3))
    return root, outside


def _shows_secret(reply):
    return reply.is_good and pictures.png_size(reply.body) == SECRET


@case("25 folders", "no spelling of a path and no link leads out of a folder of originals")
def ways_out(lab):
    root, outside = _folders(lab)
    os.symlink(outside, root / "link")
    os.symlink(outside / "secret.png", root / "a" / "secret.png")
    os.symlink("/proc/self/root", root / "root")
    os.symlink("../photos-private", root / "a" / "up")
    os.mkfifo(root / "pipe")
    os.mkdir(root / "folder.png")
    daemon = lab.daemon("--origin-files", f"photos={root}")
    reply = daemon.picture("file://photos/a/b/open.png", "output=png")
    lab.check(reply.is_good, f"the open picture: {reply}")
    target = str(outside / "secret.png")[1:]
    ways = ["link/secret.png", "a/secret.png", f"root/{target}", "a/up/secret.png", "pipe", "folder.png", "", "/", f"//{target}"]
    for up in ("..", "%2e%2e", "%2E.", "..%2f", "..%5c", "..\\", "..;", "%252e%252e", ".%00.", "\u2025", "%c0%ae%c0%ae"):
        ways += [f"{up}/photos-private/secret.png", f"a/{up}/{up}/photos-private/secret.png", f"a/b/{up}/../{up}/" + target,
                 f"a/b/open.png/{up}/{up}/{up}/{up}/photos-private/secret.png"]
    ways += ["a/b/open.png%00.jpg", "a/b/open.png/", "a//b/open.png", "./a/b/open.png"]
    began, answers = time.monotonic(), {}
    for way in ways:
        # Escaped once, as clients do, and as it is, so that one escape fewer is left.
        raw = urllib.parse.quote(way, safe="/%?;\\.")
        for reply in (daemon.picture(f"file://photos/{way}", "output=png"), daemon.get(f"/img?output=png&url=file://photos/{raw}")):
            lab.check(not _shows_secret(reply), f"{way} shows the secret")
            lab.check(reply.status in (400, 404) or "403" in reply.text, f"{way}: {reply}")
            answers[reply.status] = answers.get(reply.status, 0) + 1
    for place in ("", "photos-private", "photos/../photos-private", "PHOTOS", ".", "..", "photos%2f..", "photos:80", "user@photos", "localhost"):
        reply = daemon.picture(f"file://{place}/secret.png", "output=png")
        lab.check(reply.status == 400, f"the folder {place!r}: {reply}")
    lab.check(daemon.is_alive, "the daemon has ended")
    lab.check(time.monotonic() - began < 60, "a way out held the daemon up, as a pipe without a writer does")
    lab.note(f"{2 * len(ways)} ways: " + ", ".join(f"{count} × {status}" for status, count in sorted(answers.items())))


def _exchange(first, second):
    """renameat2(2) with RENAME_EXCHANGE: no moment without either."""
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.renameat2(-100, os.fsencode(first), -100, os.fsencode(second), 2) == 0


@case("26 folder races", "exchanging folders and links under a request never leads out of a folder of originals")
def races(lab):
    root, outside = _folders(lab)
    inside = root / "a" / "b"
    (inside / "secret.png").write_bytes(pictures.flat(5, 3))
    os.symlink(outside, root / "trap")
    # Each answer is made anew: what is refused is not remembered, and what is given has a lifetime of 0.
    daemon = lab.daemon("--origin-files", f"photos={root}", "--log-access", "false")
    stop, turns = threading.Event(), [0]

    def turn():
        while not stop.is_set() and _exchange(inside, root / "trap"):
            turns[0] += 1

    def move():
        deep = root / "a"
        while not stop.is_set():
            os.rename(deep, lab.folder / "away")
            os.rename(lab.folder / "away", deep)

    seen = {}
    for attack in (turn, move):
        stop.clear()
        worker = threading.Thread(target=attack)
        worker.start()
        try:
            end = time.monotonic() + 8
            while time.monotonic() < end:
                reply = daemon.picture("file://photos/a/b/secret.png", "output=png")
                lab.check(not _shows_secret(reply), f"{attack.__name__}: the secret is shown")
                word = f"{attack.__name__} {reply.status}"
                seen[word] = seen.get(word, 0) + 1
        finally:
            stop.set()
            worker.join()
        if (root / "a" / "b").is_symlink():
            _exchange(inside, root / "trap")
    lab.check(seen.get("turn 200") and seen.get("turn 502"), f"the race was never met: {seen}")
    lab.note(f"{turns[0]} exchanges; " + ", ".join(f"{word}: {count}" for word, count in sorted(seen.items())))
