# SPDX-License-Identifier: Apache-2.0
"""What /proc tells of a process. A process that has ended has no children, no name and no descriptors."""

import os
import pathlib


def descendants(pid):
    """Children of all threads, and theirs: a decoder's parent is the thread that started it."""
    found = []
    try:
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            try:
                found += [int(child) for child in (task / "children").read_text().split()]
            except OSError:
                pass
    except OSError:
        return []
    return sorted(found + [grandchild for child in found for grandchild in descendants(child)])


def name(pid):
    """As top(1) shows it: of a worker, what it works as."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().rstrip("\n")
    except OSError:
        return ""


def state(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def resident(pid):
    """Bytes in RAM that are this process' own or shared."""
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def cpu_seconds(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def descriptors(pid):
    """What is open, as (link, bytes that it takes on its file system or in memory)."""
    found = []
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    for name in names:
        try:
            found.append((os.readlink(f"{folder}/{name}"), os.stat(f"{folder}/{name}").st_blocks * 512))
        except OSError:
            pass
    return found


def pinned(pid):
    """Bytes of files without a name that live as long as they are open: deleted files, and memfds."""
    files = memory = 0
    for link, size in descriptors(pid):
        if link.startswith("/memfd:"):
            memory += size
        elif link.endswith(" (deleted)"):
            files += size
    return files, memory


def limit(pid, name):
    """Soft and hard limit as /proc/PID/limits prints them."""
    for line in pathlib.Path(f"/proc/{pid}/limits").read_text().splitlines():
        if line.startswith(name):
            return tuple(line[len(name):].split()[:2])
    return None
