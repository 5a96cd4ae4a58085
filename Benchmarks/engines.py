# SPDX-License-Identifier: Apache-2.0
"""Starts the services that nodes of a fleet share: a store and Redis."""

import os

from lab import find, free_port, wait_for_port

BUCKET = "pictor-cache"


def start_store(lab):
    """Starts an nginx that accepts PUT and checks no signature. Returns its folder, its port and its log."""
    os.environ.update(AWS_ACCESS_KEY_ID="benchmark", AWS_SECRET_ACCESS_KEY="benchmark")
    folder, port, log = lab.folder / "store", free_port(), lab.folder / "store.access.log"
    folder.mkdir(mode=0o777)
    lab.start_nginx("store", f"""
        log_format short '$connection $request_method $status';
        server {{
            listen 127.0.0.1:{port}; root {folder}; access_log {log} short; client_max_body_size 0;
            client_body_buffer_size 16m; error_page 404 = @absent;
            location / {{ dav_methods PUT DELETE; create_full_put_path on; }}
            location @absent {{ return 404 "<Error><Code>NoSuchKey</Code></Error>"; }}
        }}""")
    wait_for_port(port, "store")
    return folder, port, log


def store_flags(port):
    return ["--shared-store-endpoint", f"http://127.0.0.1:{port}", "--shared-store-bucket", BUCKET]


def start_redis(lab):
    """Starts a Redis. Returns its address."""
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    lab.start([find("redis-server"), *options], "redis")
    wait_for_port(port, "redis")
    return f"redis://127.0.0.1:{port}"
