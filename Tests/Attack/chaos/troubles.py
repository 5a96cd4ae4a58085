# SPDX-License-Identifier: Apache-2.0
"""What is done to the daemon's processes, files and disk meanwhile."""

import collections
import os
import random
import shutil
import signal
import threading
import time


class Troubles:
    """Threads that shoot, mangle and fill until they are stopped.

    **Isolation:** deques and counters of one writer each; readers copy."""

    def __init__(self, daemon, disk, seed):
        self.daemon, self.disk, self.seed = daemon, disk, seed
        self.counts = collections.Counter()
        self.shots = collections.deque(maxlen=1000)
        self.mangled = collections.deque(maxlen=5000)
        self.disk_states = collections.deque(maxlen=200)
        self.is_full = False
        self.stopped = threading.Event()
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._shoot, self._mangle, self._fill)]

    def start(self):
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopped.set()
        for thread in self.threads:
            thread.join(30)
        if self.disk:
            self.disk.empty()

    def shot_since(self, moment):
        return any(shot >= moment for shot in list(self.shots))

    def mangled_since(self, moment):
        return [action for action in list(self.mangled) if action[0] >= moment]

    # MARK: Processes

    def _shoot(self):
        chance = random.Random(f"{self.seed} shots")
        while not self.stopped.wait(chance.uniform(0.5, 4)):
            kind = chance.choice(["decoder", "decoder", "inspector"])
            for _ in range(chance.choice([1, 1, 1, 2, 3])):
                victims = self.daemon.children(kind)
                if not victims:
                    break
                try:
                    # Nothing that a decoder's own crash would look like.
                    os.kill(chance.choice(victims), chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM]))
                    self.counts[f"{kind} shot"] += 1
                    self.shots.append(time.time())
                except ProcessLookupError:
                    pass
                time.sleep(chance.uniform(0.001, 0.05))

    # MARK: Files

    def _mangle(self):
        chance = random.Random(f"{self.seed} files")
        while not self.stopped.wait(chance.uniform(0.5, 3)):
            if chance.random() < 0.002:
                shutil.rmtree(self.daemon.cache, ignore_errors=True)
                self.counts["folder deleted"] += 1
                self.mangled.append((time.time(), "folder deleted", ""))
                continue
            kind = chance.choice(["originals", "renditions"])
            folders = list((self.daemon.cache / kind).glob("*"))
            for _ in range(chance.randint(1, 12)):
                try:
                    files = list(os.scandir(chance.choice(folders)))
                    self._mangle_one(chance.choice(files).path, chance)
                except (OSError, IndexError):
                    pass

    def _mangle_one(self, path, chance):
        how = chance.choice(["cut", "flipped", "flipped", "deleted", "emptied", "grown", "zeroed"])
        size = os.stat(path).st_size
        if how == "cut":
            os.truncate(path, chance.randrange(max(1, size)))
        elif how == "emptied":
            os.truncate(path, 0)
        elif how == "deleted":
            os.unlink(path)
        elif how == "grown":
            with open(path, "ab") as file:
                file.write(b"more")
        else:
            place = chance.randrange(max(1, size))
            with open(path, "r+b") as file:
                file.seek(place)
                old = file.read(1)
                file.seek(place)
                file.write(bytes([old[0] ^ 1 << chance.randrange(8)]) if how == "flipped" else b"\0" * min(500, size - place))
        self.counts[f"file {how}"] += 1
        self.mangled.append((time.time(), how, path))

    # MARK: The disk

    def _fill(self):
        if not self.disk:
            return
        chance = random.Random(f"{self.seed} disk")
        while not self.stopped.wait(chance.uniform(40, 120)):
            self.is_full = True
            self.counts["disk full"] += 1
            self.disk_states.append((time.time(), "full"))
            end = time.time() + chance.uniform(5, 25)
            while time.time() < end and not self.stopped.is_set():
                self.disk.fill()
                self.stopped.wait(1)
            self.disk.empty()
            self.is_full = False
            self.disk_states.append((time.time(), "back"))
