# SPDX-License-Identifier: Apache-2.0
"""The real daemon on loopback ports of the kernel's choice, and an origin that says what a test wants."""

import http.server
import os
import re
import subprocess
import tempfile
import threading

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PICTOR = os.path.join(ROOT, ".build/debug/pictor")
# Times that no machine uses up, however much else it has to do.
PATIENT = ["--origin-connect-timeout", "15s", "--origin-first-byte-timeout", "45s", "--origin-idle-timeout", "45s", "--origin-timeout", "50s",
           "--decoder-timeout", "5m", "--decoder-queue-timeout", "40s"]


class Daemon:
    def __init__(self, *flags, environment=None):
        self.folder = tempfile.TemporaryDirectory()
        usual = ["--server-listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-format", "text", "--log-access", "false",
                 "--origin-allow-private", "true", "--cache-disk", "1GiB", "--decoder-processes", "2", "--cache-directory", self.folder.name,
                 *PATIENT]
        self.process = subprocess.Popen([PICTOR, "serve", *usual, *flags], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                                        env={"PATH": "/usr/bin:/bin", **(environment or {})})
        ports = {}
        for line in self.process.stderr:
            found = re.search(r"listener=(\w+).*listening|listening.*listener=(\w+)", line)
            port = re.search(r"\d\.\d:(\d+)", line)
            if found and port:
                ports[found[1] or found[2]] = int(port[1])
            if len(ports) == 2:
                break
        if "public" not in ports:
            raise RuntimeError("the daemon did not start")
        # What it logs later must not fill the pipe.
        threading.Thread(target=self.process.stderr.read, daemon=True).start()
        self.url = f"http://127.0.0.1:{ports['public']}"
        self.admin = f"http://127.0.0.1:{ports.get('admin')}"

    def stop(self):
        self.process.terminate()
        self.process.wait(60)
        self.folder.cleanup()


class LocalServer:
    """A server on a loopback port of the kernel's choice, until `stop`."""

    def __init__(self, handler):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Origin(LocalServer):
    """Answers each request by `answer(path) -> (status, type, body)`, and perhaps a dictionary of more fields."""

    def __init__(self, answer):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                status, kind, body, *more = answer(self.path)
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                for name, value in (more[0] if more else {}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *words):
                pass

        super().__init__(Handler)
