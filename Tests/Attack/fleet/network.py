# SPDX-License-Identifier: Apache-2.0
"""Machines as network namespaces on one bridge. This process is inside the one that has the bridge: `enter` sees to it."""

import os
import subprocess
import sys

from lab import ending

HUB = "10.77.0.1"
# An address of hardware that nobody has.
NOWHERE = "02:00:00:00:00:01"


def enter():
    """Runs this program anew in a namespace of its own, once. Needs root."""
    if os.environ.get("PICTOR_FLEET_INSIDE"):
        return
    if os.geteuid() != 0:
        sys.exit("scripts/fleet needs root: it makes network namespaces")
    os.environ["PICTOR_FLEET_INSIDE"] = "1"
    os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])


def make_bridge():
    for words in ("link set lo up", "link add fleet type bridge", f"addr add {HUB}/24 dev fleet", "link set fleet up"):
        subprocess.run(["ip", *words.split()], check=True)


class Machine:
    """A namespace with one address. It lasts as long as its holder, a process that sleeps."""

    def __init__(self, number):
        self.number, self.address, self.port = number, f"10.77.0.{number}", f"m{number}"
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        with ending.closed_on_failure(self):
            self._connect()

    def _connect(self):
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{self.holder.pid}/ns/net") == own:
            os.sched_yield()
        pid = str(self.holder.pid)
        subprocess.run(["ip", "link", "add", self.port, "type", "veth", "peer", "name", "eth0", "netns", pid], check=True)
        subprocess.run(["ip", "link", "set", self.port, "master", "fleet", "up"], check=True)
        for words in ("link set lo up", f"addr add {self.address}/24 dev eth0", "link set eth0 up"):
            subprocess.run([*self.command, "ip", *words.split()], check=True)

    @property
    def command(self):
        """What runs another command on this machine."""
        return ["nsenter", "--net", f"--target={self.holder.pid}", "--"]

    def cut_off(self):
        """Its packets are lost, as by a broken cable."""
        subprocess.run(["ip", "link", "set", self.port, "nomaster"], check=True)

    def join(self):
        subprocess.run(["ip", "link", "set", self.port, "master", "fleet"], check=True)

    def part_from(self, other):
        """What these two send one another is lost; everybody else reaches both."""
        self._set_neighbours(other, "replace", "lladdr", NOWHERE, "nud", "permanent")

    def meet(self, other):
        self._set_neighbours(other, "del")

    def _set_neighbours(self, other, change, *words):
        for one, far in ((self, other), (other, self)):
            subprocess.run([*one.command, "ip", "neigh", change, far.address, *words, "dev", "eth0"], check=True)

    def close(self):
        # At once: the kernel clears a namespace away in its own time.
        subprocess.run(["ip", "link", "del", self.port], check=False)
        self.holder.kill()
        self.holder.wait()
