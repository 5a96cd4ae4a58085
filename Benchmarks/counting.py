# SPDX-License-Identifier: Apache-2.0
"""Counts allocations and system calls of requests. The counts do not depend on what else the machine does."""

import http.client
import re
import signal
import subprocess
import sys
import time

from lab import get

REQUESTS = 1000


def counted(lab, name):
    """The file into which the preloaded library writes its count. The variable ALLOCATIONS of the daemon's environment names this file."""
    return lab.folder / f"{name}.allocations"


def allocations(lab, name):
    """The number of allocations that the preloaded library has counted so far."""
    return int.from_bytes(counted(lab, name).read_bytes()[:8], sys.byteorder)


def count(lab, pid, port, name, target):
    """Allocations and system calls of the whole daemon for each of 1,000 requests over one connection."""
    connection = http.client.HTTPConnection("127.0.0.1", port)

    def ask(times):
        for _ in range(times):
            get(port, target, connection)

    ask(200)
    # Waits until the after-effects of the first requests (an index that is written, a process that is
    # started) have ended.
    time.sleep(2)
    before = allocations(lab, name)
    ask(REQUESTS)
    allocated = allocations(lab, name) - before

    tracer = subprocess.Popen(["strace", "-f", "-c", "-p", str(pid)], stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    ask(REQUESTS)
    tracer.send_signal(signal.SIGINT)
    total = re.search(r"^100\.00\s+\S+\s+\S+\s+(\d+).*total$", tracer.communicate()[1], re.MULTILINE)
    return allocated / REQUESTS, int(total[1]) / REQUESTS
