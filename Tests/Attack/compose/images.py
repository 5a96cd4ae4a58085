# SPDX-License-Identifier: Apache-2.0
"""The images that compose.yaml names, made of Debian's packages: no registry is asked.

Pictor's is built by the Dockerfile as it is. Its two base images come of debootstrap, and the one with Swift has a `swift` that hands
out the executable of this trial in place of a build."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from lab import object_store

from . import engine

ROOT = pathlib.Path(__file__).resolve().parents[3]
# What the Dockerfile names → the release of Debian.
BASES = {"docker.io/library/debian:trixie-slim": "trixie", "localhost/trial-bookworm": "bookworm"}

# As in the image of that name: strip, and git.
SWIFT = """FROM localhost/trial-bookworm
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends binutils git
COPY --chmod=755 swift /usr/bin/swift
COPY pictor /trial/pictor
"""
SWIFT_COMMAND = """#!/bin/sh
case "$1" in
--version) echo 'Swift version 6.3' ;;
package) echo '{"pins": []}' > Package.resolved ;;
build) mkdir -p .build/release && cp /trial/pictor .build/release/pictor ;;
esac
"""
SERVICES = """FROM localhost/trial-bookworm
RUN apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \\
    redis-server haproxy awscli memcached swift-proxy swift-account swift-container swift-object \\
    && install -d -o redis -g redis /data
"""
# User, signal, folder and protected mode as in the images of these names. HAProxy's and Redis' start without root.
IMAGES = {
    "docker.io/library/haproxy:2.8": "USER haproxy\nWORKDIR /var/lib/haproxy\nSTOPSIGNAL SIGUSR1\n",
    "docker.io/library/redis:7": (
        "RUN printf '#!/bin/sh\\nexec /usr/bin/redis-server \"$@\" --protected-mode no\\n' > /usr/local/bin/redis-server"
        " && chmod 755 /usr/local/bin/redis-server\nUSER redis\nVOLUME /data\nWORKDIR /data\n"),
    "docker.io/amazon/aws-cli:2.17.0": "WORKDIR /aws\n",
    "localhost/trial-store": "COPY lab /trial/lab\nWORKDIR /trial\nVOLUME /data\n",
}
STANDS_FOR = {"haproxy:2.8": "haproxy", "redis:7": "redis-server", "amazon/aws-cli:2.17.0": "awscli", "chrislusf/seaweedfs:3.80": "swift-proxy"}


def make(pictor):
    """Makes what is missing or has changed."""
    with tempfile.TemporaryDirectory(prefix="pictor-images-") as folder:
        folder = pathlib.Path(folder)
        for name, suite in BASES.items():
            if subprocess.run(["podman", "image", "exists", name], check=False).returncode:
                _base(folder, name, suite)
        (folder / "swift").write_text(SWIFT_COMMAND)
        shutil.copyfile(pictor, folder / "pictor")
        os.chmod(folder / "pictor", 0o755)
        shutil.copytree(pathlib.Path(object_store.__file__).parent, folder / "lab", ignore=shutil.ignore_patterns("__pycache__"))
        _build(folder, "docker.io/library/swift:6.3-bookworm", SWIFT)
        _build(ROOT, "pictor")
        _build(folder, "localhost/trial-services", SERVICES)
        for name, lines in IMAGES.items():
            _build(folder, name, "FROM localhost/trial-services\n" + lines)


def tell():
    """Which version of Debian's stands for which image."""
    for name, package in STANDS_FOR.items():
        version = engine.podman("run", "--rm", "--network=none", "localhost/trial-services", "dpkg-query", "-Wf", "${Version}", package)
        print(f"     {name}: {package} {version} of Debian 12 stands for it", flush=True)


def _base(folder, name, suite):
    print(f"     debootstrap {suite}", flush=True)
    root = folder / suite
    _run(["debootstrap", "--variant=minbase", "--include=ca-certificates", suite, str(root)])
    with subprocess.Popen(["tar", "-C", str(root), "-c", "."], stdout=subprocess.PIPE) as tar:
        _run(["podman", "import", "-", name], stdin=tar.stdout)
    shutil.rmtree(root)


def _build(context, name, text=None):
    """By a Dockerfile of the context's own, unless another text is given."""
    print(f"     podman build {name}", flush=True)
    # Docker's format knows health checks. Packages come from the machine's own network.
    command = ["podman", "build", "--format=docker", "--isolation=chroot", "--network=host", "--pull=never", "--tag", name]
    if text:
        file = context / "Dockerfile"
        file.write_text(text)
    _run([*command, str(context)])


def _run(command, **more):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)
    if done.returncode:
        sys.exit(f"{' '.join(command)}:\n{done.stdout.decode(errors='replace')[-3000:]}")
