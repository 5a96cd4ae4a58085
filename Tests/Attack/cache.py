# SPDX-License-Identifier: Apache-2.0
"""What happens to files under a running daemon, and what the cache may take of disk, inodes and memory."""

import concurrent.futures
import os
import random
import shutil
import time

from lab import client, limits, pictures, proc
from lab.case import Skip, case
from lab.daemon import until

COUNT = 60
# So little that hardly a rendition of 100 KB stays in memory: what is served comes from files.
SMALL_MEMORY = ("--cache-memory", "1MiB", "--log-access", "false")


def _renditions(daemon):
    return [path for path in sorted(daemon.cache.glob("renditions/*/*")) if path.is_file()]


# MARK: Altered files

def _cut(path, generator):
    os.truncate(path, path.stat().st_size // 2)


def _emptied(path, generator):
    os.truncate(path, 0)


def _flipped(path, generator):
    with open(path, "r+b") as file:
        place = generator.randrange(path.stat().st_size * 3 // 4)
        file.seek(place)
        byte = file.read(1)
        file.seek(place)
        file.write(bytes([byte[0] ^ 0x55]))


def _flipped_and_dated_back(path, generator):
    before = path.stat()
    _flipped(path, generator)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _deleted(path, generator):
    path.unlink()


def _replaced(path, generator):
    other = path.with_name("other")
    other.write_bytes(generator.randbytes(path.stat().st_size))
    other.rename(path)


def _served(daemon, origin, references):
    """How many answers were whole and right, cut short, wrong, and refused."""
    counts = {"right": 0, "short": 0, "wrong": 0, "refused": 0}
    def ask(number):
        reply = daemon.picture(origin.url(f"/{number}"), "output=png", timeout=30)
        if reply.status != 200:
            return "refused"
        if not reply.is_whole:
            return "short"
        return "right" if reply.body == references[number] else "wrong"
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for answer in pool.map(ask, range(len(references))):
            counts[answer] += 1
    return counts


@case("7 altered files", "a file that was cut, flipped, replaced or deleted is a miss and never an answer")
def altered_files(lab):
    seed = lab.options.seed
    sources = [pictures.noise(200, 150, seed=number) for number in range(COUNT)]
    origin = lab.origin(lambda peer: peer.answer(sources[int(peer.path[1:])]))
    for kind in (_cut, _emptied, _flipped, _flipped_and_dated_back, _deleted, _replaced):
        generator = random.Random(seed)
        daemon = lab.daemon(*SMALL_MEMORY)
        name = kind.__name__[1:].replace("_", " ")
        references = [daemon.picture(origin.url(f"/{number}"), "output=png").body for number in range(COUNT)]
        # Once more, so that descriptors are open.
        first = _served(daemon, origin, references)
        lab.check(first["right"] == COUNT, f"before anything was {name}: {first}")
        until(lambda: len(_renditions(daemon)) >= COUNT, 5)
        files = _renditions(daemon)
        for path in files:
            kind(path, generator)
        counts = _served(daemon, origin, references)
        lab.check(counts["right"] == COUNT, f"{len(files)} files {name}: {counts}")
        again = _served(daemon, origin, references)
        lab.check(again["right"] == COUNT, f"{name}, asked once more: {again}")
        lab.note(f"{name}: {counts['right']} of {COUNT} right, counted {daemon.metrics('disk_(damaged|vanished)')}")
        daemon.close()


@case("7 deleted folder", "what is held open of a folder that is gone, and was flipped before, is never an answer")
def deleted_folder(lab):
    generator = random.Random(lab.options.seed)
    sources = [pictures.noise(200, 150, seed=number) for number in range(COUNT)]
    origin = lab.origin(lambda peer: peer.answer(sources[int(peer.path[1:])]))
    daemon = lab.daemon(*SMALL_MEMORY)
    references = [daemon.picture(origin.url(f"/{number}"), "output=png").body for number in range(COUNT)]
    _served(daemon, origin, references)
    until(lambda: len(_renditions(daemon)) >= COUNT, 5)
    for path in _renditions(daemon):
        _cut(path, generator)
    shutil.rmtree(daemon.cache)
    time.sleep(1)
    counts = _served(daemon, origin, references)
    lab.check(counts["right"] == COUNT, f"files cut and their folder deleted: {counts}")
    kept = until(lambda: _renditions(daemon), 15)
    lab.check(kept or _served(daemon, origin, references)["right"] == COUNT, "the folder did not come back")


@case("7 cut while it is sent", "a body that ends early while it is sent costs one answer, not the next")
def cut_while_sent(lab):
    source = pictures.noise(1500, 1000)
    origin = lab.origin(lambda peer: peer.answer(source))
    daemon = lab.daemon(*SMALL_MEMORY)
    target = client.target(origin.url(), "output=png")
    reference = daemon.get(target).body
    files = until(lambda: [path for path in _renditions(daemon) if path.stat().st_size > 1_000_000], 5)
    lab.check(daemon.get(target).body == reference, "the second answer differs")
    reader = client.Connection(daemon.port, receive_buffer=8192)
    reader.send(target)
    time.sleep(0.5)
    for path in files or []:
        os.truncate(path, 100_000)
    first = reader.receive()
    lab.check(not (first.is_whole and first.body != reference), "a wrong body was sent as a whole one")
    for number in range(3):
        reply = daemon.get(target)
        lab.check(reply.is_good and reply.body == reference, f"answer {number + 1} after it: {reply}")
    lab.note(f"the answer in whose middle its file was cut: {first}; counted {daemon.metrics('disk_(damaged|vanished)')}")


@case("7 bad sectors", "what cannot be read is made anew, whatever the disk says")
def bad_sectors(lab):
    try:
        disk = lab.keep(limits.LoopDisk(lab.folder / "loop", 64))
    except PermissionError as reason:
        raise Skip(str(reason))
    sources = [pictures.noise(200, 150, seed=number) for number in range(COUNT)]
    origin = lab.origin(lambda peer: peer.answer(sources[int(peer.path[1:])]))
    daemon = lab.daemon(*SMALL_MEMORY, "--cache-minimum-free", "0%", cache=disk.folder / "cache")
    references = [daemon.picture(origin.url(f"/{number}"), "output=png").body for number in range(COUNT)]
    _served(daemon, origin, references)
    until(lambda: len(_renditions(daemon)) >= COUNT, 5)
    disk.forget()
    disk.lose(0.7)
    unreadable = 0
    for path in _renditions(daemon):
        try:
            path.read_bytes()
        except OSError:
            unreadable += 1
    if not unreadable:
        raise Skip("the files can still be read")
    disk.forget()
    first = _served(daemon, origin, references)
    # A head that was sent before the sector was found bad cannot be taken back; the next answer must be right.
    lab.check(first["wrong"] == first["refused"] == 0, f"{unreadable} files unreadable: {first}")
    second = _served(daemon, origin, references)
    lab.check(second["right"] == COUNT, f"asked once more: {second}")
    lab.check(daemon.is_alive, f"the daemon {daemon.end}")
    lab.note(f"{unreadable} of {COUNT} files unreadable: {first}, then {second}; counted {daemon.metrics('disk_(damaged|vanished|unreadable|read)')}")


# MARK: Pinned bytes

BIG = 1100  # Pixels a side: 3.6 MB as noise.


def _ask_for_big_ones(lab, daemon, count, readers=0):
    origin = lab.origin(lambda peer: peer.answer(pictures.noise(BIG, BIG, seed=int(peer.path[1:]))))
    most = [0, 0]
    for number in range(count):
        reply = daemon.picture(origin.url(f"/{number}"), "output=png")
        lab.check(reply.is_good, f"picture {number}: {reply}")
        # Once more, so that its descriptor is kept.
        daemon.picture(origin.url(f"/{number}"), "output=png")
        files, memory = proc.pinned(daemon.pid)
        most = [max(most[0], files), max(most[1], memory)]
    time.sleep(2)
    return most, proc.pinned(daemon.pid)


@case("14 deleted files", "files that eviction deleted do not live on in descriptors")
def deleted_files(lab):
    daemon = lab.daemon("--cache-memory", "8MiB", "--cache-disk", "64MiB", "--cache-minimum-free", "0%", "--log-access", "false")
    most, now = _ask_for_big_ones(lab, daemon, 40)
    lab.check(most[0] < 24e6, f"up to {most[0] / 1e6:.0f} MB of deleted files were open, with a budget of 64 MiB")
    lab.check(now[0] < 8e6, f"{now[0] / 1e6:.0f} MB of deleted files are open at rest")
    lab.note(f"deleted files: {most[0] / 1e6:.0f} MB at most, {now[0] / 1e6:.0f} MB at rest")


def _hold_slowly(lab, *flags):
    """Forty readers that take nothing, each of an original of its own, of 24 MiB, that nobody may keep."""
    small = pictures.noise(60, 40)
    large = small + bytes((24 << 20) - len(small))
    origin = lab.origin(lambda peer: peer.answer(large if peer.path.startswith("/large") else small, age="no-store"))
    daemon = lab.daemon("--server-send-timeout", "3s", "--log-access", "false", *flags)
    readers, most, guests = [], [0, 0], []
    for number in range(40):
        reader = lab.keep(client.Connection(daemon.port, receive_buffer=8192))
        reader.send(client.target(origin.url(f"/large/{number}"), "output=raw"))
        readers.append(reader)
        guests.append(daemon.picture(origin.url(f"/small/{number}"), "w=30"))
        most = [max(*pair) for pair in zip(most, proc.pinned(daemon.pid))]
    lab.check(all(guest.is_good for guest in guests), f"guests: {[str(guest) for guest in guests if not guest.is_good]}")
    lab.check(until(lambda: sum(proc.pinned(daemon.pid)) < 64 << 20, 30), "those who read nothing were not cut")
    refused = daemon.metric("pictor_held_refusals_total")
    for reader in readers:
        reader.close()
    lab.check(until(lambda: daemon.metric("pictor_held_bytes") == 0, 10), f"not given back: {daemon.metrics('held_bytes')}")
    lab.note(f"without a name: {most[0] / 1e6:.0f} MB on the disk and {most[1] / 1e6:.0f} MB in memory at most; {refused:.0f} refused, {len(guests)} guests")
    return most


@case("14 slow readers", "slow readers of originals that nobody may keep hold a budget and no more, and are cut")
def slow_readers(lab):
    files, memory = _hold_slowly(lab, "--cache-held-disk", "128MiB")
    lab.check(files <= 128 << 20 and memory < 1 << 20, f"{files / 1e6:.0f} MB on the disk, {memory / 1e6:.0f} MB in memory")


@case("14 slow readers without a disk", "while the disk takes nothing, they hold a budget of memory and no more")
def slow_readers_in_memory(lab):
    files, memory = _hold_slowly(lab, "--cache-held-memory", "128MiB", "--cache-minimum-free", "1000TiB")
    lab.check(memory <= 128 << 20 and files < 1 << 20, f"{files / 1e6:.0f} MB on the disk, {memory / 1e6:.0f} MB in memory")


@case("14 memory without a disk", "while the disk takes nothing, big renditions are charged to the memory cache")
def memory_files(lab):
    try:
        disk = lab.keep(limits.SmallDisk(lab.folder / "small", size="8m"))
    except PermissionError as reason:
        raise Skip(str(reason))
    disk.fill()
    disk.empty()
    daemon = lab.daemon("--cache-memory", "64MiB", "--log-access", "false", cache=disk.folder / "cache")
    disk.fill()
    most, now = _ask_for_big_ones(lab, daemon, 40)
    resident = proc.resident(daemon.pid)
    lab.check(most[1] < 80e6, f"up to {most[1] / 1e6:.0f} MB of memfds, with a budget of 64 MiB")
    lab.check(most[1] + resident < 260e6, f"{(most[1] + resident) / 1e6:.0f} MB of memfds and resident memory")
    lab.note(f"memfds: {most[1] / 1e6:.0f} MB at most, {now[1] / 1e6:.0f} MB at rest; {resident / 1e6:.0f} MB resident")


# MARK: Inodes

@case("15 inodes", "a cache that runs out of inodes evicts and keeps what is new")
def inodes(lab):
    try:
        # 4 folders, 512 below them and the index come first.
        disk = lab.keep(limits.SmallDisk(lab.folder / "few", size="256m", nr_inodes=1200))
    except PermissionError as reason:
        raise Skip(str(reason))
    source = [pictures.flat(30, 20, (number % 256, number // 256, 7)) for number in range(900)]
    origin = lab.origin(lambda peer: peer.answer(source[int(peer.path[1:])]))
    daemon = lab.daemon("--log-access", "false", cache=disk.folder / "cache")
    for number in range(900):
        reply = daemon.picture(origin.url(f"/{number}"), "w=9")
        if not lab.check(reply.is_good, f"picture {number}: {reply}"):
            break
    evicted = until(lambda: daemon.metric("pictor_disk_evictions_total"), 20, step=0.5)
    lab.check(evicted, "nothing was evicted")
    for number in range(20):
        daemon.picture(origin.url(f"/{number}"), "w=11")
    keeping = until(lambda: daemon.metric("pictor_disk_keeping") == 1, 15, step=0.5)
    lab.check(keeping, "pictor_disk_keeping stays 0")
    free = os.statvfs(disk.folder).f_favail
    lab.check(daemon.picture(origin.url("/5"), "w=13").is_good, "no picture afterwards")
    time.sleep(1.5)
    status = daemon.stop()
    # What is new has to be there after a start.
    second = lab.daemon("--log-access", "false", cache=daemon.cache)
    before = len(origin.requests)
    reply = second.picture(origin.url("/5"), "w=13")
    lab.check("diskHit" in (reply["cache-status"] or ""), f"the newest picture was not kept: {reply['cache-status']}")
    lab.note(f"{evicted or 0:.0f} evicted, {free} inodes free, {len(origin.requests) - before} fetches after a restart ({status})")
