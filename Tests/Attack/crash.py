# SPDX-License-Identifier: Apache-2.0
"""What ends the daemon, or makes it stand still, with bytes alone."""

import random
import threading
import time
import zlib

from lab import pictures
from lab.case import case
from lab.client import Connection

ALL_FORMATS = "jpeg,png,webp,gif,avif,heic,tiff,bmp,ico,svg,jxl,pdf"


@case("A1 odd heads", "no head of a picture ends the daemon or a connection")
def odd_heads(lab):
    files = list(pictures.odd_drawings()) + list(pictures.odd_rasters())
    _serve_all(lab, files)
    _serve_all(lab, files, "--decoder-formats", ALL_FORMATS)
    lab.note(f"{len(files)} files, with the default formats and with all")


@case("A1 mutated heads", "no mutated picture ends the daemon")
def mutated_heads(lab):
    seed = lab.options.seed
    generator = random.Random(seed)
    seeds = [data for _, data in [*pictures.odd_drawings(), *pictures.odd_rasters()]]
    seeds += [pictures.gif(40, 30, 3), pictures.gradient(40, 30)]
    files = [(f"mutation {number} of seed {seed}", pictures.mutated(generator.choice(seeds), generator))
             for number in range(1500)]
    _serve_all(lab, files, "--decoder-formats", ALL_FORMATS)
    lab.note(f"{len(files)} files, seed {seed}")


@case("A1 nested JSON", "no order to the admin listener ends the daemon")
def nested_json(lab):
    token = "a-token-for-orders"
    daemon = lab.daemon(environment={"PICTOR_ADMIN_TOKEN": token})
    for opening in (b"[", b'{"a":', b'{"tag":['):
        for depth in (100, 511, 512, 513, 514, 5000):
            for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
                body = (opening * depth).decode().encode(encoding)
                reply = daemon.admin("/admin/purge", method="POST", body=body, fields=[("Authorization", f"Bearer {token}")])
                lab.check(reply.status in (400, 413) and daemon.is_alive, f"{depth} × {opening}: {reply}, the daemon {daemon.end}")
                if not daemon.is_alive:
                    return


def _serve_all(lab, files, *flags):
    origin = lab.origin(lambda peer: peer.answer(files[int(peer.path[1:])][1], kind="application/octet-stream"))
    daemon, bystander, ends = None, None, []
    for number, (name, _) in enumerate(files):
        if daemon is None or not daemon.is_alive:
            daemon = lab.daemon("--log-access", "false", *flags)
            bystander = Connection(daemon.port)
        for options in ("w=50", "output=json"):
            reply = daemon.picture(origin.url(f"/{number}"), options, timeout=30)
            if reply.status == 0:
                # Its end may be seen a moment later than the connection's.
                time.sleep(0.1)
            if not daemon.is_alive:
                ends.append(f"{name} ({options}): {daemon.end}")
                break
            lab.check(reply.status != 0, f"{name} ({options}): {reply}")
        if len(ends) > 20:
            break
        if number % 100 == 99 and daemon.is_alive:
            bystander.send("/nothing")
            lab.check(bystander.receive().status == 404, f"another connection was not served after {name}")
    lab.check(not ends, f"{len(ends)}{' or more' if len(ends) > 20 else ''} files ended the daemon, as {ends[:2]}")


# MARK: Transfer codings

def empty_blocks(layers, size=5_000_000_000):
    """`size` bytes of empty deflate blocks in that many layers of gzip: whoever unpacks them gets nothing, for long."""
    head = b"\x1f\x8b\x08\0\0\0\0\0\0\3"
    block = b"\0\0\0\xff\xff"
    if layers == 1:
        return head + block * (min(size, 5_000_000) // len(block))
    # The second layer's deflate blocks repeat like what is in them; a full flush makes a piece that can be repeated.
    whole = block * 1_000_000
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    first = packer.compress(head + whole) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    piece = packer.compress(whole) + packer.flush(zlib.Z_FULL_FLUSH)
    data = head + first + piece * (size // len(whole) - 1)
    for _ in range(layers - 2):
        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        data = packer.compress(data) + packer.flush()
    return data


@case("A2 transfer codings", "an origin's transfer codings stop nobody else's fetches")
def transfer_codings(lab):
    bombs = {layers: empty_blocks(layers) for layers in (1, 2, 3, 4)}
    lab.note(f"the bomb of four layers has {len(bombs[4])} bytes")
    heads = [("gzip, " * layers)[:-2] for layers in bombs] + [
        "gzip,gzip,gzip,gzip,gzip", "gzip, gzip, gzip, gzip, chunked", "chunked, gzip, gzip, gzip, gzip", "x-gzip, x-gzip",
        "deflate", "br", "identity", "chunked, chunked", "gzip\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: gzip, gzip",
        "\tgzip,\t gzip ,,gzip,gzip", "cow", "chunked;q=1", "", "gzip;x=1"]

    def bomb(peer):
        head = heads[int(peer.path[1:])]
        body = bombs[min(4, max(1, head.count("gzip")))]
        if "chunked" in head:
            body = b"%x\r\n" % len(body) + body + b"\r\n0\r\n\r\n"
        peer.send(f"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nTransfer-Encoding: {head}\r\nConnection: close\r\n\r\n"
                  .encode() + body)
        peer.connection.shutdown(1)

    attacker = lab.origin(bomb)
    plain = lab.origin(lambda peer: peer.answer(pictures.flat(30, 20)))
    daemon = lab.daemon("--origin-timeout", "20s")
    slowest, counts = 0.0, {}
    for number in sorted(range(len(heads)), key=lambda number: heads[number].count("gzip") >= 3):
        answers = []
        thread = threading.Thread(
            target=lambda: answers.append(daemon.picture(attacker.url(f"/{number}"), "w=9", timeout=60)))
        thread.start()
        end = time.monotonic() + (2.5 if heads[number].count("gzip") >= 3 else 0.4)
        step = 0
        while time.monotonic() < end:
            step += 1
            reply = daemon.picture(plain.url(f"/{number}-{step}"), "w=10", timeout=60)
            slowest = max(slowest, reply.seconds)
            if not lab.check(reply.is_good and reply.seconds < 2,
                             f"with transfer coding {heads[number]!r} another fetch had {reply} after {reply.seconds:.1f} s"):
                break
            time.sleep(0.05)
        thread.join(60)
        own = str(answers[0]) if answers else "nothing in 60 s"
        counts[own] = counts.get(own, 0) + 1
        if not lab.check(answers and answers[0].seconds < 21, f"{heads[number]!r} itself was answered {own}"):
            break
        if heads[number].count("gzip") >= 3:
            lab.check(answers[0].status == 502 and answers[0].seconds < 3,
                      f"{heads[number]!r} was answered {own} after {answers[0].seconds:.1f} s, not refused at its head")
    lab.check(daemon.is_alive, f"the daemon {daemon.end}")
    lab.note(f"slowest other fetch {slowest * 1000:.0f} ms; {len(heads)} codings were answered {counts}")
