# SPDX-License-Identifier: Apache-2.0
"""What the containers of compose.yaml are held to."""

import collections
import http.client
import json
import pathlib
import random
import re
import subprocess
import time
import urllib.parse

from fleet import load
from fleet.servers import Gallery
from lab import pictures
from lab.daemon import until

from . import engine
from .engine import Container

GATEWAY, PUBLISHED, NODE_PORT = "172.28.0.1", ("127.0.0.1", 8080), 8080
# Documentation's (RFC 5737): nobody's address.
CLAIMED = "203.0.113.7"
ORIGINALS, REQUESTS = 30, 300
LIMIT = 1 << 30
# Pictures from this number on are heavy.
HEAVY = 6_000


class HeavyGallery(Gallery):
    @staticmethod
    def picture(number, edition):
        return pictures.noise(2400, 1800, seed=number) if number >= HEAVY else Gallery.picture(number, edition)


class Trial:
    def __init__(self, seed):
        self.chance, self.failures, self.gallery = random.Random(seed), [], None
        self.project = engine.Project([pathlib.Path(__file__).with_name("trial.yaml")])
        self.nodes = [Container("node1", "172.28.0.11"), Container("node2", "172.28.0.12")]
        self.services = [*self.nodes, *(Container(name) for name in ("balancer", "redis", "store", "bucket"))]

    def check(self, is_good, words):
        print(("ok   " if is_good else "FAIL ") + words, flush=True)
        if not is_good:
            self.failures.append(words)

    # MARK: Asking

    def questions(self, numbers, count, widths=load.WIDTHS):
        """So many requests, a multiple of what there is: each number in each width, in any order."""
        each = [(number, width) for number in numbers for width in widths]
        questions = each * (count // len(each))
        self.chance.shuffle(questions)
        return questions

    def ask(self, questions, words, clients=1, at=None):
        """By the balancer's published port."""
        answers = load.ask(questions, self.gallery, clients, *PUBLISHED, at=at)
        bad = collections.Counter(f"{answer.status} {answer.error}" for answer in answers if answer.status != 200)
        looks = collections.defaultdict(set)
        for question, answer in zip(questions, answers):
            looks[question].add(answer.looks)
        uneven = sum(len(seen) > 1 for seen in looks.values())
        again = sum(answer.is_again for answer in answers)
        self.check(not bad and not uneven, f"{words}: {len(answers)} answers, {dict(bad) or 'all 200'}; {len(looks)} pictures, {uneven} of them "
                   "with several looks" + (f"; {again} asked again on another connection" if again else ""))

    def get(self, address, target, fields=None):
        connection = http.client.HTTPConnection(*address, timeout=60)
        try:
            connection.request("GET", target, headers=fields or {})
            reply = connection.getresponse()
            return reply.status, reply.read()
        finally:
            connection.close()

    def picture(self, address, number, width=load.WIDTHS[0], fields=None):
        return self.get(address, load.target(self.gallery.url(number), width), fields)

    def asked(self, node):
        """The originals that a node was asked for, by the access log."""
        found = (re.search(r"url=http%3A%2F%2F172\.28\.0\.1%3A9000%2F(\d+)\.png", line) for line in node.lines())
        return [int(match[1]) for match in found if match]

    # MARK: The trial

    def start(self):
        started = time.monotonic()
        self.project.up()
        self.gallery = HeavyGallery(GATEWAY)
        print(f"     docker compose up: {time.monotonic() - started:.0f} s", flush=True)
        for node in self.nodes:
            self.check(until(lambda node=node: node.is_healthy, 60, 0.5), f"{node.service} is healthy by its own health check")
        states = {each.service: each.inspect("{{.State.Status}} {{.State.ExitCode}}") for each in self.services}
        self.check(states.pop("bucket") == "exited 0" and set(states.values()) == {"running 0"}, "the bucket is made, and all others run")
        self.check(until(lambda: self.get(PUBLISHED, "/health/ready")[0] == 200, 30), "the balancer answers at the published port")
        for node in self.nodes:
            _, text = node.execute("sh", "-c", "grep -E '^(Uid|CapEff|NoNewPrivs):' /proc/1/status; touch /written")
            self.check(re.search(r"Uid:\s+65534.*CapEff:\s+0+\nNoNewPrivs:\s+1\n.*Read-only", text, re.DOTALL),
                       f"{node.service} is nobody, without capabilities, on a root that nobody can write to")

    def spread(self):
        self.ask(self.questions(range(ORIGINALS), REQUESTS), "through the balancer")
        self.check(self.gallery.total == ORIGINALS, f"{self.gallery.total} fetches of {ORIGINALS} originals")
        until(lambda: sum(len(self.asked(node)) for node in self.nodes) >= REQUESTS)
        first, second = (collections.Counter(self.asked(node)) for node in self.nodes)
        both = set(first) & set(second)
        self.check(first and second and not both and first.total() + second.total() == REQUESTS,
                   f"{len(first)} originals at node1 ({first.total()} requests), {len(second)} at node2 ({second.total()}), {len(both)} at both")

    def share(self):
        """What one has fetched the other finds in the store; a purge at one is one at both."""
        number = 7
        target = [(node.address, NODE_PORT) for node in self.nodes]
        before = [self.picture(address, number) for address in target]
        self.check(before[0] == before[1] and before[0][0] == 200, "both nodes show the same picture")
        self.check(self.gallery.total == ORIGINALS, "and the second had it of the store")
        self.gallery.change(number)
        status, text = self.project.run("exec", "-T", "node1", "pictor", "cache", "purge", "--url", self.gallery.url(number))
        started = time.monotonic()
        self.check(status == 0, f"docker compose exec node1 pictor cache purge --url …: {' '.join(text.split())}")
        has_come = until(lambda: all(self.picture(address, number) not in before for address in target), 15)
        after = [self.picture(address, number) for address in target]
        self.check(has_come and after[0] == after[1] and after[0][0] == 200,
                   f"both nodes show the new picture after {time.monotonic() - started:.2f} s")

    def clients(self):
        """Whose word about a client's address counts."""
        fields = {"X-Forwarded-For": CLAIMED}
        for words, address in (("through the balancer", PUBLISHED), ("past the balancer", (self.nodes[0].address, NODE_PORT))):
            seen = [len(node.lines()) for node in self.nodes]
            status, _ = self.picture(address, 3, fields=fields)
            lines = until(lambda: [line for node, count in zip(self.nodes, seen) for line in node.lines()[count:]]) or [""]
            peer = re.search(r"peer=\"?([0-9.]+)", lines[0])
            self.check(status == 200 and peer and peer[1] == GATEWAY,
                       f"X-Forwarded-For: {CLAIMED} {words}: the log knows the client as {peer and peer[1]}")

    def private(self):
        for url in ("http://store:8333/pictor-cache/a.png", "http://redis:6379/a.png", "http://172.28.0.12:8080/a.png"):
            status, body = self.get(PUBLISHED, f"/img?url={urllib.parse.quote(url, safe='')}")
            self.check(status == 400 and b'"source_refused"' in body, f"{url}: {status} {json.loads(body)['error']}")

    def kill(self):
        first, second = self.nodes
        questions = self.questions(range(100, 250), 900)
        pid, seen = second.inspect("{{.State.Pid}}"), len(second.lines())
        self.ask(questions, "node2 is killed under requests by podman kill", 8,
                 {len(questions) // 2: lambda: engine.podman("kill", second.name)})
        self.check(len(second.lines()) > seen, "node2 had some of them")
        comes_back = until(lambda: second.inspect("{{.State.Pid}}") not in (pid, "0"), 5)
        print(f"     restarted by its policy: {'yes' if comes_back else 'no, a kill by order is not undone: docker compose up'}", flush=True)
        if not comes_back:
            self.project.up()
        self.returned(second, "it comes back")
        # A crash is no order.
        pid = second.inspect("{{.State.Pid}}")
        self.ask(questions, "node2 dies of SIGKILL under requests", 8,
                 {len(questions) // 2: lambda: subprocess.run(["kill", "-KILL", pid], check=True)})
        self.check(until(lambda: second.inspect("{{.State.Pid}}") not in (pid, "0"), 30), "its restart policy starts it anew")
        self.returned(second, "it comes back")
        started = time.monotonic()
        self.ask(questions, "node1 is stopped under requests", 8, {len(questions) // 2: lambda: self.project.run("stop", "node1")})
        state = first.inspect("{{.State.Status}} {{.State.ExitCode}}")
        self.check(state == "exited 0", f"it ends in order ({state})")
        self.project.up()
        self.returned(first, f"it comes back, {time.monotonic() - started:.0f} s later")

    def returned(self, node, words):
        is_healthy = until(lambda: node.is_healthy, 60, 0.5)
        seen = len(node.lines())
        gets_some = until(lambda: any(self.picture(PUBLISHED, number)[0] and len(node.lines()) > seen for number in range(ORIGINALS)), 30, 1)
        self.check(is_healthy and gets_some, f"{words}: healthy, and asked by the balancer")

    def memory(self):
        # What a container has taken counts from its start: so this comes before they are ended.
        self.ask(self.questions(range(HEAVY, HEAVY + 12), 24, (1000, 1400)), "12 originals of 13 MB in two sizes, by 8 clients", 8)
        for node in self.nodes:
            # Of control groups of version 2, and of version 1.
            _, text = node.execute("sh", "-c", "cd /sys/fs/cgroup; cat memory.max memory.events memory.peak memory/memory.limit_in_bytes "
                                   "memory/memory.oom_control memory/memory.max_usage_in_bytes 2>/dev/null")
            kills = re.search(r"oom_kill (\d+)", text)
            peak = re.findall(r"^\d+$", text, re.MULTILINE)
            self.check(str(LIMIT) in peak and kills and kills[1] == "0" and node.inspect("{{.State.OOMKilled}}") == "false",
                       f"{node.service}: at most {int(peak[-1]) >> 20 if peak else '?'} of 1024 MiB, killed for memory {kills and kills[1]} times")

    def end(self):
        if self.gallery:
            self.gallery.close()
        status, text = self.project.run("down", "--volumes")
        left = [engine.podman("ps", "--all", "--quiet"), engine.podman("volume", "ls", "--quiet"),
                engine.podman("network", "ls", "--quiet", "--filter", "name=pictor"),
                subprocess.run("iptables-save | grep 172.28.0", shell=True, capture_output=True, text=True, check=False).stdout]
        self.check(status == 0 and not any(left), "docker compose down -v leaves no container, volume, network and rule"
                   + "".join(f"\n{each}" for each in (text if status else "", *left) if each))


def run(seed):
    print(f"seed {seed}", flush=True)
    trial = Trial(seed)
    try:
        for step in (trial.start, trial.spread, trial.share, trial.clients, trial.private, trial.memory, trial.kill):
            print(f"-- {step.__name__}", flush=True)
            step()
    finally:
        print("-- end", flush=True)
        if trial.failures:
            for each in trial.services:
                refused = [line for line in each.lines() if " status=5" in line]
                print(f"{each.service}:", *(line for line in each.log().splitlines() if " info " not in line), *refused[:5], sep="\n")
        trial.end()
    return trial.failures
