# SPDX-License-Identifier: Apache-2.0
"""What operators, their tools and their machines do: signals, logs, jails, keys, the admin listener."""

import fcntl
import os
import random
import re
import signal
import socket
import subprocess
import threading
import time

from lab import client, limits, pictures, proc
from lab.case import ROOT, Skip, case
from lab.daemon import until

PICTURE = pictures.gradient(60, 40)
KEY = "a-key-that-has-thirty-two-characters-or-more"


def _origin(lab):
    return lab.origin(lambda peer: peer.answer(PICTURE))


# MARK: Signals

@case("A3 signals", "no signal but SIGTERM and SIGINT ends the daemon")
def signals(lab):
    origin = _origin(lab)
    for name in ("SIGHUP", "SIGUSR1", "SIGUSR2", "SIGPIPE"):
        daemon = lab.daemon()
        daemon.signal(getattr(signal, name))
        time.sleep(0.4)
        if lab.check(daemon.is_alive, f"{name}: {daemon.end}"):
            lab.check(daemon.picture(origin.url(), "w=9").is_good, f"after {name} no picture")
            if name == "SIGHUP":
                lab.check(daemon.log_lines("settings reloaded"), "no line in the log about the reload")
            lab.check(daemon.stop() == 0, f"after {name} SIGTERM gave {daemon.end}")


# MARK: Restarts

class _Visitors:
    """Clients that ask on and on. A client that connects waits a little before it asks, and one that keeps its connection
    before it asks again; each request that was begun and got no 200 is a loss."""

    def __init__(self, port, target, seed):
        self.port, self.target, self.seed = port, target, seed
        self.answered, self.lost, self.slowest = 0, [], 0.0
        self.lock, self.is_over = threading.Lock(), threading.Event()
        kinds = [self.come] * 6 + [self.stay] * 6
        self.threads = [threading.Thread(target=kind, args=(number,)) for number, kind in enumerate(kinds)]
        for thread in self.threads:
            thread.start()

    def come(self, number):
        generator = random.Random(self.seed * 100 + number)
        while not self.is_over.is_set():
            connection = client.Connection(self.port)
            time.sleep(generator.uniform(0, 0.03))
            self.ask(connection, [("Connection", "close")])
            connection.close()

    def stay(self, number):
        generator = random.Random(self.seed * 100 + number)
        connection = client.Connection(self.port)
        while not self.is_over.is_set():
            time.sleep(generator.uniform(0, 0.02))
            reply = self.ask(connection)
            if not reply.is_good or reply["connection"] == "close":
                connection.close()
                connection = client.Connection(self.port)
        connection.close()

    def ask(self, connection, fields=()):
        begun = time.monotonic()
        try:
            connection.send(self.target, fields=fields)
            reply = connection.receive()
        except OSError as error:
            reply = client.Reply(error=str(error))
        with self.lock:
            self.slowest = max(self.slowest, time.monotonic() - begun)
            if reply.is_good:
                self.answered += 1
            else:
                self.lost.append(str(reply))
        return reply

    def leave(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()


@case("A5 restarts", "no request is lost in restarts under load where the socket is handed over, on new and on kept connections")
def restarts(lab):
    origin = _origin(lab)
    listener = lab.keep(socket.create_server(("127.0.0.1", 0), backlog=4096))
    port = listener.getsockname()[1]
    cache = lab.folder / "restarted"
    burner = subprocess.Popen(["/bin/sh", "-c", "while :; do :; done"])
    visitors = None
    try:
        daemon = lab.daemon(listening=listener, cache=cache)
        lab.check(daemon.picture(origin.url(), "w=9").is_good, "no picture")
        visitors = _Visitors(port, client.target(origin.url(), "w=9"), lab.options.seed)
        for _ in range(8):
            time.sleep(1)
            lab.check(daemon.stop() == 0, f"SIGTERM gave {daemon.end or 'nothing in time'}")
            daemon = lab.daemon(listening=listener, cache=cache)
    finally:
        if visitors:
            visitors.leave()
        burner.kill()
        burner.wait()
    lab.check(not visitors.lost, f"{len(visitors.lost)} lost: {sorted(set(visitors.lost))}")
    lab.note(f"{visitors.answered} answered over 8 restarts, the slowest in {visitors.slowest:.1f} s, seed {lab.options.seed}")


# MARK: Logs

def _two_ports():
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        return one.getsockname()[1], two.getsockname()[1]


def _works_without_log(lab, what, daemon, origin):
    """Pictures, killed decoders (each of which has a line) and an end in time."""
    slowest, replies = 0.0, []
    for round in range(6):
        for victim in daemon.children("decoder")[:2]:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                pass
        for number in range(6):
            reply = daemon.picture(origin.url(), f"w={10 + round * 6 + number}", timeout=30)
            slowest = max(slowest, reply.seconds)
            replies.append(str(reply))
            if reply.status == 0:
                break
        time.sleep(0.05)
        if not daemon.is_alive or slowest >= 30:
            break
    bad = [reply for reply in replies if reply != "200"]
    if not lab.check(daemon.is_alive, f"{what}: the daemon {daemon.end}"):
        return
    lab.check(not bad, f"{what}: {len(bad)} of {len(replies)} answers were {sorted(set(bad))}")
    lab.check(slowest < 5, f"{what}: an answer took {slowest:.1f} s")
    back = until(lambda: len(daemon.children("decoder")) >= 2, 5)
    lab.check(back, f"{what}: {len(daemon.children('decoder'))} of 2 decoders came back")
    counted = daemon.metrics("log.*(drop|lost)") if client.accepts(daemon.admin_port) else {}
    start = time.monotonic()
    status = daemon.stop(15)
    lab.check(status == 0, f"{what}: SIGTERM gave {daemon.end or 'nothing within 15 s'}")
    lab.note(f"{what}: slowest answer {slowest * 1000:.0f} ms, end in {time.monotonic() - start:.1f} s, counted {counted}")


@case("A4 log to a full device", "a log that cannot be written ends nothing")
def full_log(lab):
    origin = _origin(lab)
    for format in ("json", "text"):
        with open("/dev/full", "wb") as full:
            daemon = lab.daemon("--log-format", format, "--log-level", "debug", stdout=full, stderr=full, ports=_two_ports())
            _works_without_log(lab, f"{format} to /dev/full", daemon, origin)


@case("A4 log to a closed pipe", "a log whose reader is gone ends nothing")
def closed_log(lab):
    origin = _origin(lab)
    for format in ("json", "text"):
        reader, writer = os.pipe()
        daemon = lab.daemon("--log-format", format, "--log-level", "debug", stdout=writer, stderr=writer, ports=_two_ports())
        os.close(writer)
        os.close(reader)
        _works_without_log(lab, f"{format} to a closed pipe", daemon, origin)


@case("A4 log to a hung pipe", "a log whose reader hangs stalls nothing, and what is dropped is counted")
def hung_log(lab):
    origin = _origin(lab)
    for format in ("json", "text"):
        reader, writer = os.pipe()
        fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        daemon = lab.daemon("--log-format", format, "--log-level", "debug", stdout=writer, stderr=writer,
                            ports=_two_ports(), wait=False)
        until(lambda: client.accepts(daemon.port), 5)
        os.close(writer)
        _works_without_log(lab, f"{format} to a hung pipe", daemon, origin)
        os.close(reader)


@case("A4 no jail", "a required jail that cannot be had ends the start with status 78 and the cause")
def no_jail(lab):
    daemon = lab.daemon("--decoder-jail", "require", before=limits.without_landlock, wait=False)
    try:
        daemon.process.wait(15)
    except subprocess.TimeoutExpired:
        pass
    said = [line for line in daemon.log_text().splitlines() if re.search('"level":"(error|critical|warning)"', line)]
    status = daemon.process.poll()
    lab.check(status == 78, f"{daemon.end or 'ran on for 15 s'}, not status 78")
    causes = [line for line in said if re.search("(?i)jail|landlock|wall", line)]
    lab.check(causes, f"no line tells the cause: {said[-1:]}")
    lab.check(len(said) <= 3, f"{len(said)} warnings and errors")
    lab.note(f"said {(causes or said)[-1:]}")


# MARK: Keys

@case("16 signatures", "a daemon with keys and an open dialect says so, and `all` closes all")
def signatures(lab):
    origin = _origin(lab)
    keys = {"PICTOR_SIGNATURES_KEYS": KEY, "PICTOR_IMGPROXY_KEYS": "00ff:ff00"}
    dialects = {"native": client.target(origin.url(), "w=9"), "weserv": client.target(origin.url(), "w=9", path="/"),
                "next": client.target(origin.url(), "w=9&q=75", path="/_next/image"),
                "cloudflare": f"/cdn-cgi/image/w=9/{origin.url()}", "imgproxy": f"/_/w:9/plain/{origin.url()}"}
    enabled = ("--cloudflare-enabled", "true", "--imgproxy-enabled", "true")
    daemon = lab.daemon(*enabled, "--signatures-required", "native", environment=keys)
    found = {name: daemon.get(target).status for name, target in dialects.items()}
    lab.check(found["native"] == 401, f"native without a signature: {found['native']}")
    is_open = [name for name in ("weserv", "next", "cloudflare") if found[name] == 200]
    warnings = [line for line in daemon.log_lines('"level":"warning"') + daemon.log_lines('"level":"notice"')
                if "sign" in line]
    lab.check(not is_open or warnings, f"{is_open} answer unsigned URLs, and the log does not say so")
    told = subprocess.run(
        [lab.options.pictor, "check", *enabled, "--signatures-required", "native", "--cache-directory", str(daemon.cache)],
        env={"PATH": "/usr/bin:/bin", **keys}, capture_output=True, text=True, timeout=60)
    lab.check(not is_open or re.search("(?i)(warn|open|unsigned|without).*(sign|unsigned)|sign.*(open|unsigned)", told.stderr),
              f"`check` does not say so: {told.stderr[-200:]!r}")
    try:
        closed = lab.daemon(*enabled, "--signatures-required", "all", environment=keys)
    except Exception as error:
        lab.check(False, f"`all`: {str(error)[-120:]}")
        return
    found = {name: closed.get(target).status for name, target in dialects.items()}
    lab.check(set(found.values()) == {401}, f"with `all`, unsigned URLs had {found}")


# MARK: Small walls

@case("20 admin host", "the admin listener answers to its own names only")
def admin_host(lab):
    daemon = lab.daemon()
    own = [f"127.0.0.1:{daemon.admin_port}", "127.0.0.1", f"localhost:{daemon.admin_port}", "localhost"]
    foreign = ["evil.example", f"evil.example:{daemon.admin_port}", "127.0.0.1.evil.example", "localhost.evil.example",
               "127.0.0.1@evil.example", "evil.example#127.0.0.1"]
    for path in ("/admin/list", "/admin/stats", "/admin/explain?url=http://127.0.0.1/x.png"):
        for host in own:
            lab.check(daemon.admin(path, host=host).status != 403, f"{path} for {host} is refused")
        for host in foreign:
            reply = daemon.admin(path, host=host)
            lab.check(reply.status in (400, 403, 404, 421), f"{path} for {host}: {reply}")


@case("20 file modes", "files of the cache are their owner's alone")
def file_modes(lab):
    origin = _origin(lab)
    daemon = lab.daemon()
    daemon.picture(origin.url(), "w=9")
    until(lambda: list(daemon.cache.rglob("renditions/*/*")), 5)
    loose = [f"{path.relative_to(daemon.cache)} {path.stat().st_mode & 0o777:o}" for path in daemon.cache.rglob("*")
             if path.is_file() and path.stat().st_mode & 0o007 or path.name.startswith("index") and path.stat().st_mode & 0o077]
    lab.check(not loose, f"others may read {loose}")


@case("20 cores", "no process of ours leaves its memory in a core file")
def cores(lab):
    daemon = lab.daemon(before=limits.cores_allowed)
    daemon.picture(_origin(lab).url(), "w=9")
    if limits.hard_core_limit() == 0:
        raise Skip("the hard limit of core files is 0 here")
    for name, pids in {"daemon": [daemon.pid], "decoder": daemon.children("decoder"),
                       "inspector": daemon.children("inspector")}.items():
        for pid in pids:
            soft, _ = proc.limit(pid, "Max core file size")
            lab.check(soft == "0", f"the {name} may write a core of {soft}")


@case("20 log text", "no stranger's byte moves a reader's cursor or breaks a line of the log")
def log_text(lab):
    marks = {"C1": "\x85\x9b31m", "bidi": "\u202e\u2066\u061c", "line separators": "\u2028\u2029"}
    evil = "".join(marks.values())
    raw = evil.encode()

    def script(peer):
        if peer.path.startswith("/redirect"):
            peer.send(b"HTTP/1.1 302 Found " + raw + b"\r\nLocation: http://" + raw + b".example/" + raw
                      + b"\r\nContent-Length: 0\r\n\r\n")
        elif peer.path.startswith("/broken"):
            peer.send(raw + b" HTTP/9 " + raw + b"\r\n\r\n")
            peer.reset()
        else:
            peer.answer(b"<svg>" + raw, kind=None, fields=[("Content-Type", raw.decode("latin-1")), ("Cache-Tag", raw.decode("latin-1"))])

    origin = lab.origin(script)
    for format in ("text", "json"):
        daemon = lab.daemon("--log-format", format, "--log-level", "trace")
        escaped = "".join("%%%02X" % byte for byte in raw)
        for target in (
            f"/img?url={escaped}", f"/img?url=http://{escaped}.example/x", f"/img?{escaped}={escaped}", f"/?url={escaped}&w={escaped}",
            f"/img?url={origin.url('/redirect')}", f"/img?url={origin.url('/broken')}", f"/img?url={origin.url('/x')}{escaped}",
            f"/img?url={origin.url('/x')}&preset={escaped}", f"/img?url={origin.url('/x')}&wm={escaped}", f"/{escaped}",
            f"/img?url={origin.url('/x')}{evil}", f"/img?url={origin.url('/x')}&filename={escaped}&default={escaped}",
        ):
            daemon.get(target, fields=[("User-Agent", evil), ("Referer", f"http://{evil}/"), ("Origin", evil), ("X-Forwarded-For", evil)])
        for pid in daemon.children("decoder") + daemon.children("inspector"):
            try:  # What a taken-over decoder may say: its standard error is a pipe to the log.
                with open(f"/proc/{pid}/fd/2", "wb", buffering=0) as pipe:
                    pipe.write(b"as said by it: " + raw + b"\n")
            except OSError:
                lab.note(f"the standard error of {pid} cannot be opened here")
        lab.check(until(lambda: daemon.log_lines("as said by it"), 5), f"{format}: what a decoder says is not in the log")
        daemon.stop()
        text = (daemon.log.read_bytes() + daemon.access.read_bytes()).decode(errors="replace")
        for name, characters in marks.items():
            seen = [character for character in characters if ord(character) > 0x7E and character in text]
            lab.check(not seen, f"{format}: {name} stand in the log as they are: {[hex(ord(character)) for character in seen]}")


@case("20 default", "default= sends nobody to a host that no list names")
def default_hosts(lab):
    origin = lab.origin(lambda peer: peer.answer(b"", status="404 Not Found"))
    evil, good = "https%3A%2F%2Fevil.example%2Fx.png", "https%3A%2F%2Fgood.example%2Fx.png"
    daemon = lab.daemon()
    reply = daemon.picture(origin.url(), f"w=9&default={evil}")
    lab.check(reply.status != 302, f"without a list, a failure leads to {reply['location']}")
    try:
        listed = lab.daemon("--options-default-hosts", "good.example")
    except Exception as error:
        lab.check(False, f"there is no list: {str(error)[-100:].strip()}")
        return
    for path in ("/img", "/"):
        reply = listed.get(client.target(origin.url(), f"w=9&default={good}", path))
        lab.check(reply.status == 302, f"{path} with a host of the list: {reply}")
        for wrong in (evil, "%2F%2Fevil.example", "https%3A%2F%2Fgood.example%40evil.example%2F", "https%3A%2F%2Fevil.example%2F%3Fgood.example",
                      "https%3A%2F%2Fxgood.example%2F", "https%3A%5C%5Cevil.example", "https%3A%2F%2Fevil.example%23.good.example"):
            reply = listed.get(client.target(origin.url(), f"w=9&default={wrong}", path))
            lab.check(reply.status != 302, f"{path} with default={wrong}: 302 to {reply['location']}")


@case("20 packaging", "units write no cores and scripts/image names base images by their digests")
def packaging(lab):
    unit = (ROOT / "systemd/pictor.service").read_text()
    lab.check(re.search(r"(?m)^LimitCORE=0$", unit), "pictor.service has no LimitCORE=0")
    pinned = (ROOT / "scripts/image").read_text()
    stages = set()
    for line in re.findall(r"(?m)^FROM .*", (ROOT / "Dockerfile").read_text()):
        words = line.split()
        base = words[1]
        stages.update(words[3:4])
        if base in stages:
            continue
        image = re.match(r"FROM \$\{(\w+)\}", line)
        lab.check(image and image[1] in pinned and "@sha256:" in pinned, f"{line} cannot be pinned by scripts/image")
