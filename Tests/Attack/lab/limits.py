# SPDX-License-Identifier: Apache-2.0
"""Worlds that lack something: for `before=` of a daemon, and small disks to mount."""

import ctypes
import os
import resource
import struct
import subprocess

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LANDLOCK_CREATE_RULESET = 444
ENOSYS = 38


def without_landlock():
    """As a kernel before 5.13: the call that Landlock begins with does not exist (seccomp(2), bpf(4))."""
    program = b"".join(struct.pack("<HBBI", *line) for line in (
        (0x20, 0, 0, 0),  # Load the call's number.
        (0x15, 0, 1, LANDLOCK_CREATE_RULESET),
        (0x06, 0, 0, 0x00050000 | ENOSYS),
        (0x06, 0, 0, 0x7FFF0000)))
    code = ctypes.create_string_buffer(program)

    class Filter(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
    filter = Filter(len(program) // 8, ctypes.cast(code, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")


def cores_allowed():
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def hard_core_limit():
    return resource.getrlimit(resource.RLIMIT_CORE)[1]


def open_files(count):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (count, count))


class SmallDisk:
    """A tmpfs of so many bytes or inodes. Raises PermissionError where mounting is not allowed."""

    def __init__(self, folder, **options):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        words = ",".join(f"{name}={value}" for name, value in {"mode": "0700", **options}.items())
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", words, "pictor-attack", folder], capture_output=True)
        if done.returncode:
            raise PermissionError("mounting is not allowed: " + done.stderr.decode().strip())

    def free(self):
        status = os.statvfs(self.folder)
        return status.f_bavail * status.f_frsize

    def fill(self):
        """Takes what is free, with a file that is nobody's."""
        with open(self.folder / "ballast", "ab", buffering=0) as file:
            try:
                while file.write(b"\1" * 65536) == 65536:
                    pass
                while file.write(b"\1" * 512):
                    pass
            except OSError:
                pass

    def empty(self):
        (self.folder / "ballast").unlink(missing_ok=True)

    def set_read_only(self, is_read_only):
        return subprocess.run(["mount", "-o", "remount," + ("ro" if is_read_only else "rw"), self.folder]).returncode == 0

    def close(self):
        subprocess.run(["umount", "--lazy", self.folder], capture_output=True)


class LoopDisk:
    """An ext4 in a file. When the file is cut, what was in its rest cannot be read any more: EIO, as of a bad sector."""

    def __init__(self, folder, megabytes):
        self.folder, self.file = folder, folder.with_suffix(".img")
        folder.mkdir(parents=True)
        with open(self.file, "wb") as file:
            file.truncate(megabytes << 20)
        for command in (["mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-E", "lazy_itable_init=0", self.file],
                        ["mount", "-o", "loop,errors=continue", self.file, folder]):
            try:
                done = subprocess.run(command, capture_output=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
            except FileNotFoundError as error:
                raise PermissionError(f"{command[0]} is not installed") from error
            if done.returncode:
                raise PermissionError(f"{command[0]}: {done.stderr.decode().strip()}")

    def forget(self):
        """Nothing of its files is left in the page cache."""
        os.sync()
        for folder, _, names in os.walk(self.folder):
            for name in names:
                file = os.open(os.path.join(folder, name), os.O_RDONLY)
                os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                os.close(file)

    def lose(self, part):
        """The last `part` of all sectors."""
        os.truncate(self.file, int(self.file.stat().st_size * (1 - part)))

    def close(self):
        subprocess.run(["umount", "--lazy", self.folder], capture_output=True)
