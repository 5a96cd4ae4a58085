# SPDX-License-Identifier: Apache-2.0
"""A real store that speaks S3: OpenStack Swift as Debian packages it, with requests signed by a computation of these tests' own."""

import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

from . import ending

ACCESS, SECRET = "test:tester", "testing"
PROGRAMS = ["swift-proxy-server", "swift-object-server", "swift-container-server", "swift-account-server", "swift-ring-builder", "memcached"]


def missing_programs():
    return [name for name in PROGRAMS if not shutil.which(name)]


def free_ports(count, address="127.0.0.1"):
    held = [socket.create_server((address, 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


class ObjectStore:
    """Swift's four servers and memcached, in a folder of their own. `close` ends them."""

    def __init__(self, folder, address="127.0.0.1", port=None):
        self.folder, self.address, self.started = folder, address, []
        ports = dict(zip(("proxy", "object", "container", "account", "memcached"), free_ports(5, address)))
        ports["proxy"] = port or ports["proxy"]
        self.port = ports["proxy"]
        (folder / "devices" / "d1").mkdir(parents=True)
        self._configure(ports)
        for kind in ("object", "container", "account"):
            for words in (["create", "4", "1", "0"], ["add", f"r1z1-{address}:{ports[kind]}/d1", "1"], ["rebalance"]):
                subprocess.run(["swift-ring-builder", f"{kind}.builder", *words], cwd=folder, check=False, stdout=subprocess.DEVNULL)
        self.log = open(folder / "log", "wb")
        as_root = ["-u", "root"] if os.geteuid() == 0 else []
        commands = [["memcached", "-l", address, "-p", str(ports["memcached"]), "-m", "32", *as_root]]
        commands += [[f"swift-{kind}-server", f"{folder}/{kind}.conf"] for kind in ("account", "container", "object", "proxy")]
        # The last one is what clients speak to.
        self.front = commands[-1]
        with ending.closed_on_failure(self):
            for command in commands:
                self.started.append(subprocess.Popen(command, stdout=self.log, stderr=self.log))
            for port in ports.values():
                self._wait(port, folder / "log")

    @property
    def endpoint(self):
        return f"http://{self.address}:{self.port}"

    def _configure(self, ports):
        user = os.environ.get("USER") or subprocess.check_output(["id", "-un"], text=True).strip()
        common = (f"bind_ip = {self.address}\nworkers = 0\nuser = {user}\nswift_dir = {self.folder}\nlog_level = WARNING\n"
                  "log_address = /dev/null\n")
        secret = os.urandom(8).hex()
        (self.folder / "swift.conf").write_text(
            f"[swift-hash]\nswift_hash_path_suffix = {secret}\nswift_hash_path_prefix = {secret}\n"
            "[storage-policy:0]\nname = one\ndefault = yes\n")
        for kind in ("object", "container", "account"):
            (self.folder / f"{kind}.conf").write_text(
                f"[DEFAULT]\nbind_port = {ports[kind]}\n{common}devices = {self.folder}/devices\nmount_check = false\n"
                f"[pipeline:main]\npipeline = {kind}-server\n[app:{kind}-server]\nuse = egg:swift#{kind}\n")
        filters = {"s3api": "s3_acl = false\nlocation = us-east-1", "tempauth": "user_test_tester = testing .admin",
                   "cache": f"memcache_servers = {self.address}:{ports['memcached']}"}
        names = ["catch_errors", "cache", "s3api", "tempauth", "copy", "container-quotas", "slo", "dlo"]
        uses = {"cache": "memcache", "container-quotas": "container_quotas"}
        (self.folder / "proxy.conf").write_text(
            f"[DEFAULT]\nbind_port = {ports['proxy']}\n{common}[pipeline:main]\npipeline = {' '.join(names)} proxy-server\n"
            "[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n"
            + "".join(f"[filter:{name}]\nuse = egg:swift#{uses.get(name, name)}\n{filters.get(name, '')}\n" for name in names))

    def _wait(self, port, log):
        for _ in range(300):
            try:
                socket.create_connection((self.address, port), timeout=1).close()
                return
            except OSError:
                time.sleep(0.1)
        raise OSError(f"nothing listens on {port}:\n{log.read_text(errors='replace')[-2000:]}")

    # MARK: Illness

    def kill(self):
        """Nobody listens any more."""
        self.started[-1].kill()
        self.started.pop().wait()

    def start(self):
        """Listens again."""
        self.started.append(subprocess.Popen(self.front, stdout=self.log, stderr=self.log))
        self._wait(self.port, self.folder / "log")

    def pause(self):
        """Takes connections, and answers nothing."""
        self.started[-1].send_signal(signal.SIGSTOP)

    def go_on(self):
        self.started[-1].send_signal(signal.SIGCONT)

    def limit(self, bucket, count):
        """Takes no more bytes than these in a bucket; None: as many as there is room for. By Swift's own interface."""
        token, account = self._log_in()
        quota = "" if count is None else str(count)
        status, text, _ = self._exchange(
            "POST", f"{account}/{bucket}", b"", {"X-Auth-Token": token, "X-Container-Meta-Quota-Bytes": quota})
        if status // 100 != 2:
            raise OSError(f"the store takes no quota: {status} {text.decode(errors='replace')}")

    def _log_in(self):
        """A token, and the account's path."""
        status, _, fields = self._exchange("GET", "/auth/v1.0", b"", {"X-Auth-User": ACCESS, "X-Auth-Key": SECRET})
        if status != 200:
            raise OSError(f"the store lets nobody in: {status}")
        return fields["X-Auth-Token"], urllib.parse.urlsplit(fields["X-Storage-Url"]).path

    # MARK: Requests

    def put(self, path, body=b""):
        """A signed PUT of an object, or of a bucket."""
        status, text = self.request("PUT", urllib.parse.quote(path, safe="/~"), body)
        if status != 200:
            raise OSError(f"the store refuses {path}: {status} {text}")

    def get(self, path):
        """The bytes of an object."""
        status, body = self._signed("GET", urllib.parse.quote(path, safe="/~"), b"")
        if status != 200:
            raise OSError(f"the store does not give {path}: {status}")
        return body

    def request(self, method, target, body=b""):
        """A signed request: status and body."""
        status, body = self._signed(method, target, body)
        return status, body.decode(errors="replace")

    def _signed(self, method, target, body):
        now = datetime.datetime.now(datetime.timezone.utc)
        stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        path, _, query = target.partition("?")
        digest = hashlib.sha256(body).hexdigest()
        fields = {"host": f"{self.address}:{self.port}", "x-amz-content-sha256": digest, "x-amz-date": stamp}
        fields["authorization"] = _authorization(method, path, query, fields, digest, stamp, day)
        return self._exchange(method, target, body, fields)[:2]

    def _exchange(self, method, target, body, fields):
        """Status, body and fields of the answer."""
        connection = http.client.HTTPConnection(self.address, self.port, timeout=30)
        try:
            connection.request(method, target, body, fields)
            reply = connection.getresponse()
            return reply.status, reply.read(), reply.headers
        finally:
            connection.close()

    def objects(self, bucket):
        return re.findall("<Key>(.*?)</Key>", self.request("GET", f"/{bucket}?list-type=2")[1])

    def close(self):
        for process in reversed(self.started):
            process.send_signal(signal.SIGCONT)
            process.terminate()
        for process in self.started:
            process.wait()
        self.log.close()


def _authorization(method, path, query, fields, digest, stamp, day):
    names, scope = ";".join(sorted(fields)), f"{day}/us-east-1/s3/aws4_request"
    asked = "\n".join([method, path, query, *(f"{name}:{fields[name]}" for name in sorted(fields)), "", names, digest])
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(asked.encode()).hexdigest()])
    key = b"AWS4" + SECRET.encode()
    for part in (day, "us-east-1", "s3", "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return f"AWS4-HMAC-SHA256 Credential={ACCESS}/{scope}, SignedHeaders={names}, Signature={signature}"


if __name__ == "__main__":
    # As the one program of a container: FOLDER ADDRESS PORT. It ends with SIGTERM.
    store = ObjectStore(pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    signal.signal(signal.SIGTERM, lambda *_: None)
    signal.pause()
    store.close()
