# SPDX-License-Identifier: Apache-2.0
"""The real daemon, started as its users start it, on free ports and in a folder of its own."""

import os
import pathlib
import re
import signal
import subprocess
import time

from . import client, ending, proc

USUAL = {
    "--server-listen": "127.0.0.1:0", "--admin-listen": "127.0.0.1:0", "--log-format": "json",
    "--origin-allow-private": "true", "--cache-disk": "1GiB", "--decoder-processes": "2",
}

# The kind of a worker process → its name.
WORKERS = {"decoder": "pictor-decoder", "inspector": "pictor-inspect"}


class DidNotStart(Exception):
    pass


class Daemon:
    """Its log is a file, so that nobody has to read it for the daemon to go on."""

    def __init__(self, program, folder, *flags, cache=None, stdout=None, stderr=None, ports=None, before=None,
                 wrapper=(), environment=None, wait=True, listening=None):
        """Flags stand in place of the usual ones. `ports` (public, admin) are needed where the log cannot be read;
        `before` runs in the child before it becomes the daemon; `wrapper` is a command that runs the daemon's;
        `listening` is a socket that it gets as systemd hands one over (sd_listen_fds(3))."""
        number = sum(1 for _ in folder.glob("daemon-*.log"))
        self.log = folder / f"daemon-{number}.log"
        self.access = folder / f"access-{number}.log"
        self.cache = pathlib.Path(cache) if cache else folder / f"cache-{number}"
        if ports:
            flags += ("--server-listen", f"127.0.0.1:{ports[0]}", "--admin-listen", f"127.0.0.1:{ports[1]}")
        usual = [word for flag, value in USUAL.items() if flag not in flags for word in (flag, value)]
        command = [*wrapper, str(program), "serve", *usual, "--cache-directory", str(self.cache), *flags]
        environment, kept = dict(environment or {}), ()
        if listening is not None:
            number = listening.fileno()
            kept = (number,)
            take = "" if number == 3 else f"exec 3<&{number}-; "
            command = ["/bin/bash", "-c", f'{take}LISTEN_PID=$$ exec "$@"', "bash", *command]
            environment["LISTEN_FDS"] = "1"
        self.port, self.admin_port = ports or (None, None)
        with open(self.log, "ab") as log, open(self.access, "ab") as access:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=access if stdout is None else stdout,
                stderr=log if stderr is None else stderr, preexec_fn=before, cwd=folder, pass_fds=kept,
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment})
        self.pid = self.process.pid
        if wait:
            with ending.closed_on_failure(self):
                self._wait_until_it_listens()

    def _wait_until_it_listens(self, seconds=30):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.is_alive:
            if self.port is None:
                self._learn_ports()
            elif client.accepts(self.port) and client.accepts(self.admin_port):
                return
            time.sleep(0.02)
        status = self.process.poll()
        raise DidNotStart(f"the daemon did not start ({status}): {self.log_text()[-600:]}")

    def _learn_ports(self):
        found = {}
        for line in self.log_text().splitlines():
            if "listening" in line and (match := re.search(r"[0-9]\.[0-9]:([0-9]+)", line)):
                found["admin" if "admin" in line else "public"] = int(match[1])
        if len(found) == 2:
            self.port, self.admin_port = found["public"], found["admin"]

    # MARK: Its life

    @property
    def is_alive(self):
        return self.process.poll() is None

    @property
    def end(self):
        """How it ended, in words; None while it runs."""
        status = self.process.poll()
        if status is None:
            return None
        return f"ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"

    def signal(self, number):
        self.process.send_signal(number)

    def stop(self, seconds=30):
        """SIGTERM; the exit status, or None where it did not end in time."""
        if self.is_alive:
            self.process.terminate()
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def close(self):
        children = proc.descendants(self.pid) if self.is_alive else []
        if self.is_alive:
            self.process.kill()
        self.process.wait()
        for child in children:
            # They end with their parent; a case may have stopped one.
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass

    # MARK: Its children

    def children(self, kind):
        """Process ids of its workers of a kind, `decoder` or `inspector`."""
        return [pid for pid in proc.descendants(self.pid) if proc.name(pid) == WORKERS[kind]]

    # MARK: Asking it

    def get(self, target, source="127.0.0.1", timeout=60, **more):
        return client.get(self.port, target, source=source, timeout=timeout, **more)

    def picture(self, url, options="", **more):
        return self.get(client.target(url, options), **more)

    def admin(self, target, **more):
        return client.get(self.admin_port, target, **more)

    def metric(self, name, label=""):
        """The sum of its samples, or of those with this label, written kind="original"; None where there is none."""
        samples = [
            float(line.rpartition(" ")[2]) for line in self.admin("/metrics").text.splitlines()
            if re.match(re.escape(name) + r"[{ ]", line) and label in line]
        return sum(samples) if samples else None

    def metrics(self, pattern):
        """All samples whose name matches, by name."""
        found = {}
        for line in self.admin("/metrics").text.splitlines():
            name = re.match(r"[a-z_0-9]+", line)
            if name and re.search(pattern, name[0]):
                found[name[0]] = found.get(name[0], 0) + float(line.rpartition(" ")[2])
        return found

    def log_text(self):
        return self.log.read_text(errors="replace")

    def log_lines(self, *words):
        return [line for line in self.log_text().splitlines() if all(word in line for word in words)]


def until(condition, seconds=10, step=0.05):
    """The condition's first true value, or None."""
    end = time.monotonic() + seconds
    while True:
        if value := condition():
            return value
        if time.monotonic() > end:
            return None
        time.sleep(step)
