#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts allocations and system calls for a picture that is in memory. The counts do not depend on what else the machine does.

One client asks 1,000 times over one connection, so requests cannot share system calls: each takes one epoll_wait,
one recvfrom and one sendmsg. Ends with status 1 if a goal is missed, so it can guard a build.
"""

import os
import subprocess
import sys
import urllib.parse

from counting import count, counted
from lab import Lab, arguments, build, describe_machine, require, table, verdict

# Per request, including a share of what the daemon does now and then (a timer, a log's buffer).
ALLOCATIONS, SYSTEM_CALLS = 0.1, 3.1


def main():
    options = arguments(__doc__.splitlines()[0]).parse_args()
    require("nginx", "gcc", "strace", "pkg-config", vips=True)
    describe_machine()
    with Lab() as lab:
        sys.exit(measure(lab, options))


def measure(lab, options):
    (lab.folder / "originals").mkdir()
    subprocess.check_call([build(lab, "picture.c"), "400", "300", "1", f"{lab.folder}/originals/p.jpg"])
    source = urllib.parse.quote(f"http://127.0.0.1:{lab.start_origin(lab.folder / 'originals')}/p.jpg", safe="")
    counter = build(lab, "allocations.c", "-shared", "-fPIC")
    rows, missed = [], False
    for name, log in [("no access log", False), ("access log", True)]:
        os.environ["ALLOCATIONS"] = str(counted(lab, name.replace(" ", "-")))
        daemon = lab.start_pictor(options.pictor, name.replace(" ", "-"), log=log, preload=counter)
        allocations, calls = count(lab, *daemon, name.replace(" ", "-"), f"/img?url={source}&w=200")
        # The log's own thread writes and sleeps besides the requests.
        limit = SYSTEM_CALLS + (0.2 if log else 0)
        missed = missed or allocations > ALLOCATIONS or calls > limit
        rows.append([
            name, f"{allocations:.3f}", verdict(allocations, ALLOCATIONS), f"{calls:.3f}", verdict(calls, limit)])
    table(["per hit", "allocations", "goal", "system calls", "goal"], rows)
    return 1 if missed else 0


main()
