# SPDX-License-Identifier: Apache-2.0
"""Helpers for all benchmarks: a temporary folder, processes that end with it, and measures from /proc.

Needs only Python's standard library. Installs nothing; prints the Debian packages of missing programs.
"""

import argparse
import concurrent.futures
import http.client
import os
import pathlib
import resource
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
# The clock of clock_gettime that counts scheduled time (include/linux/posix-timers.h).
CPUCLOCK_SCHED = 2
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")

# Nothing is kept, because every request shall be rendered anew.
THUMBOR = """
QUALITY = 80
AUTO_WEBP = False
STORAGE = "thumbor.storages.no_storage"
RESULT_STORAGE = "thumbor.result_storages.no_storage"
HTTP_LOADER_CURL_ASYNC_HTTP_CLIENT = False
"""

# Command or pkg-config module → Debian package.
PACKAGES = {
    "wrk": "wrk", "nginx": "nginx-light", "taskset": "util-linux", "gcc": "gcc", "pkg-config": "pkg-config",
    "libvips": "libvips-dev", "vips": "libvips-tools", "strace": "strace",
    "redis-server": "redis-server",
}


def arguments(description):
    """The options that all benchmarks share; the caller adds its own."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--pictor", type=os.path.abspath, default=str(HERE.parent / ".build/release/pictor"), help="the release binary")
    return parser


def require(*commands, vips=False):
    """Ends the program if a command is missing, and prints the packages that contain it."""
    missing = [name for name in commands if not find(name)]
    if vips and not missing and subprocess.run(["pkg-config", "--exists", "vips"]).returncode:
        missing.append("libvips")
    if missing:
        sys.exit("missing: apt-get install " + " ".join(PACKAGES[name] for name in missing))


def find(command):
    return shutil.which(command, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def allow_descriptors(count):
    """Allows `count` descriptors for this process and those that it starts; ends the program if the machine forbids that."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most != resource.RLIM_INFINITY and most < count:
        sys.exit(f"needs ulimit -Hn of {count}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (count, most))


def describe_machine():
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.2f}, Linux {os.uname().release}")


# MARK: Processes

class Lab:
    """A temporary folder and the processes started in it. Leaving it stops them, youngest first, by their ids."""

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="pictor-bench-"))
        os.chmod(self.folder, 0o755)
        self.processes = []
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def start(self, command, name, log=None, preload=None):
        """Starts a process, with its output in `<name>.log`, or with its standard output in `log`."""
        errors = open(self.folder / f"{name}.log", "wb")
        output = open(log, "wb") if log else errors
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, cwd=self.folder,
            env={**os.environ, "LD_PRELOAD": preload} if preload else None)
        self.processes.append(process)
        return process

    def start_nginx(self, name, servers):
        """Starts an nginx with one worker. `servers` is the text of the server blocks. Returns the worker's process id."""
        (self.folder / f"{name}.conf").write_text(f"""
            daemon off; worker_processes 1; pid {name}.pid; error_log {name}.error.log;
            {"user root;" if os.getuid() == 0 else ""}
            events {{ worker_connections 4096; }}
            http {{
                types {{ image/jpeg jpg; }} default_type application/octet-stream;
                sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 1000000000;
                open_file_cache max=10000 inactive=1h; open_file_cache_valid 1h;
                client_body_temp_path {name}.body; proxy_temp_path {name}.proxy; fastcgi_temp_path {name}.fcgi;
                uwsgi_temp_path {name}.uwsgi; scgi_temp_path {name}.scgi;
                {servers}
            }}""")
        process = self.start(
            [find("nginx"), "-p", str(self.folder), "-c", f"{name}.conf", "-e", f"{name}.error.log"], name)
        return wait_for(lambda: next(iter(children(process.pid)), None), f"nginx ({name})")

    def start_origin(self, folder):
        """Starts a server of the originals in `folder`. Returns its port."""
        port = free_port()
        self.start_nginx(
            "origin",
            f"server {{ listen 127.0.0.1:{port}; root {folder}; access_log off;"
            " add_header Cache-Control max-age=3600; }")
        wait_for_port(port, "origin")
        return port

    def start_originals(self):
        """Makes a folder for originals and starts a server that reads them from there. Returns the folder and the server's URL."""
        folder = self.folder / "originals"
        folder.mkdir(mode=0o755)
        return folder, f"http://127.0.0.1:{self.start_origin(folder)}"

    def start_pictor(self, binary, name, *flags, log=False, preload=None, within=None, admin=""):
        """Starts a daemon. Returns its process id and port. `preload` is a library to preload, `within` the cgroup to start it
        in, and `admin` the address of the admin listener, if there is one."""
        port = free_port()
        listeners = ["--server-listen", f"127.0.0.1:{port}"] + ([] if "--admin-listen" in flags else ["--admin-listen", admin])
        command = [
            binary, "serve", *listeners,
            "--origin-allow-private", "true", "--cache-directory", str(self.folder / f"{name}-cache"),
            "--log-access", "true" if log else "false", *flags,
        ]
        if within:
            command = within.wrap(command)
        process = self.start(command, name, log=self.folder / f"{name}.access.log" if log else None, preload=preload)
        try:
            wait_for_port(port, name, process)
        except RuntimeError:
            sys.exit((self.folder / f"{name}.log").read_text() or f"{name} did not start")
        return process.pid, port


class Pictures:
    """Asks a Pictor of its own for renditions of a server's originals, one at a time over one connection."""

    def __init__(self, lab, binary, origin, *flags, name="pictor"):
        self.origin = origin
        _, port = lab.start_pictor(binary, name, *flags)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def ask(self, name, query):
        """Status, header fields and body of the answer for an original."""
        source = urllib.parse.quote(f"{self.origin}/{urllib.parse.quote(name)}", safe="")
        target = f"/img?url={source}&{query}"
        try:
            return self.get(target)
        except http.client.RemoteDisconnected:
            # The server closes a connection that was idle for long.
            self.connection.close()
            return self.get(target)

    def get(self, target):
        self.connection.request("GET", target)
        answer = self.connection.getresponse()
        return answer.status, answer.headers, answer.read()

    def make(self, name, query):
        """The body of the answer for an original, whose status must be 200."""
        status, _, body = self.ask(name, query)
        if status != 200:
            sys.exit(f"{name}, {query}: {status} {body[:200]!r}")
        return body


def thumbor(lab):
    """A list with thumbor's command, which contains `{port}`, or an empty list if it is not installed."""
    program = shutil.which("thumbor")
    if not program:
        return []
    settings = lab.folder / "thumbor.conf"
    settings.write_text(THUMBOR)
    return [f"{program} -p {{port}} -c {settings} -l error"]


def build(lab, source, *options):
    """Compiles a C file of this folder against libvips. Returns the program's path."""
    flags = subprocess.check_output(["pkg-config", "--cflags", "--libs", "vips"], text=True).split()
    program = lab.folder / source.removesuffix(".c")
    subprocess.check_call(["gcc", "-O2", *options, "-o", program, HERE / source, *flags, "-lpthread", "-lm"])
    return str(program)


def originals(lab, options, drawn):
    """Name, file and width of each photograph from the options, or of drawn pictures if there are none. `drawn` maps names to a
    width, a height and options of the saver."""
    if options.photograph:
        for number, path in enumerate(options.photograph):
            file = lab.folder / f"photograph-{number}.jpg"
            shutil.copyfile(path, file)
            width = int(subprocess.check_output(["vipsheader", "-f", "width", file], text=True))
            yield path.stem, file, width
        return
    picture = build(lab, "picture.c")
    for number, (name, (width, height, saving)) in enumerate(drawn.items()):
        file = lab.folder / f"{width}-{number}.jpg"
        subprocess.check_call([picture, str(width), str(height), "1", f"{file}[{saving}]"])
        yield name, file, width


def photograph_option(parser):
    parser.add_argument(
        "--photograph", action="append", type=pathlib.Path, help="a JPEG in place of those that are drawn; several times for several")


# MARK: Waiting

def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.02)
    raise RuntimeError(f"waited {seconds} s for {what}")


def wait_for_port(port, what, process=None):
    def answers():
        if process and process.poll() is not None:
            raise RuntimeError(f"{what} has ended")
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0
    wait_for(answers, what)


def get(port, target, connection=None):
    """The body of an answer, which must have the status 200."""
    connection = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", target)
    response = connection.getresponse()
    body = response.read()
    if response.status != 200:
        sys.exit(f"{response.status} for {target}: {body[:200]!r}")
    return body


def in_parallel(count, work, items):
    """Does `work` on each item in that many threads. An exception in a thread is raised here."""
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        for _ in pool.map(work, items):
            pass


# MARK: What /proc tells

def cpu_seconds(pid):
    """User and system time of a process without its children, from its CPU clock, because /proc counts in ticks of 10 ms."""
    try:
        return time.clock_gettime(~pid << 3 | CPUCLOCK_SCHED)
    except OSError as error:
        raise FileNotFoundError(f"process {pid}") from error


def cpu_seconds_of_threads(pid, names):
    """User and system time of the running threads of a process whose names begin with one of `names`."""
    seconds = 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        if (task / "comm").read_text().startswith(names):
            seconds += int((task / "schedstat").read_text().split()[0]) / 1e9
    return seconds


def cpu_seconds_of_children(pid):
    """User and system time of all processes that a process has started, including those that have ended."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    seconds = (int(fields[13]) + int(fields[14])) / TICK
    for child in descendants(pid):
        try:
            seconds += cpu_seconds(child)
        except FileNotFoundError:
            pass
    return seconds


def children(pid):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def descendants(pid):
    """The process ids of the children of all threads, because a decoder's parent is the thread that started it."""
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            found += [int(child) for child in (task / "children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            # The thread has ended meanwhile.
            pass
    return sorted(found)


def kind(pid):
    """What kind of process a child of the daemon is: `zygote`, `decoder` or `inspect`."""
    return pathlib.Path(f"/proc/{pid}/comm").read_text().strip().removeprefix("pictor-")


def family(pid):
    """The process ids of children, their children, and so on."""
    found = descendants(pid)
    return found + [other for child in found for other in family(child)]


def descriptors(pid, origin):
    """The number of open descriptors without connections to the origin's port, because those are kept for the next fetch."""
    kept = set()
    for line in pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]:
        _, _, remote, *_, inode = line.split()[:10]
        if int(remote.rpartition(":")[2], 16) == origin:
            kept.add(f"socket:[{inode}]")
    count = 0
    for link in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            count += os.readlink(link) not in kept
        except FileNotFoundError:
            pass
    return count


def memory(pid):
    """Resident (RSS) and proportional (PSS) size in bytes."""
    sizes = {}
    for line in pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]:
        name, size, *_ = line.split()
        sizes[name] = int(size) * 1024
    return sizes["Rss:"], sizes["Pss:"]


def distinct(pids):
    """Bytes of memory that any of the processes has mapped, with each page counted once: of all pages, and of those that belong
    to no file. None without the right to read page frame numbers (proc(5), pagemap)."""
    frames = {}
    for pid in pids:
        with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pagemap:
            for line in pathlib.Path(f"/proc/{pid}/maps").read_text().splitlines():
                start, _, end = line.split()[0].partition("-")
                if "[vsyscall]" in line:
                    continue
                start, end = int(start, 16) // PAGE, int(end, 16) // PAGE
                for (entry,) in struct.iter_unpack("=Q", os.pread(pagemap.fileno(), (end - start) * 8, start * 8)):
                    if entry >> 63:
                        frames[entry & (1 << 55) - 1] = entry >> 61 & 1
    if not any(frames):
        return None
    return len(frames) * PAGE, sum(1 for of_file in frames.values() if not of_file) * PAGE


# MARK: Numbers

def median(values):
    return statistics.median(values)


def table(header, rows):
    """Prints a table: its first column is aligned to the left, the others to the right."""
    rows = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[column]) for row in rows) for column in range(len(header))]
    for number, row in enumerate(rows):
        print("  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths))))
        if number == 0:
            print("  ".join("-" * width for width in widths))
    print(flush=True)


def verdict(value, goal, least=False):
    met = value >= goal if least else value <= goal
    return f"{'≥' if least else '≤'} {goal:g} {'met' if met else 'MISSED'}"
