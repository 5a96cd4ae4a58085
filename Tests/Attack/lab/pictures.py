# SPDX-License-Identifier: Apache-2.0
"""Pictures made by hand: PNG (W3C PNG §5), GIF (GIF89a §18–22), animated WebP (RFC 9649) and the odd heads of others."""

import random
import re
import struct
import zlib


# MARK: PNG

def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_of_rows(width, height, rows, level=1):
    """Truecolour of 8 bits; `rows` holds 3 bytes a pixel."""
    step = width * 3
    filtered = b"".join(b"\0" + rows[start:start + step] for start in range(0, step * height, step))
    return (b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + png_chunk(b"IDAT", zlib.compress(filtered, level)) + png_chunk(b"IEND", b""))


def flat(width, height, colour=(40, 90, 160)):
    return png_of_rows(width, height, bytes(colour) * (width * height))


def gradient(width, height, hue=128):
    """No two parts alike; another `hue`, another picture."""
    rows = bytearray()
    for y in range(height):
        green = y * 255 // height
        for x in range(width):
            rows += bytes((x * 255 // width, green, hue % 256))
    return png_of_rows(width, height, bytes(rows))


def noise(width, height, seed=1):
    """What encoders find hard."""
    return png_of_rows(width, height, random.Random(seed).randbytes(width * height * 3), level=0)


def png_size(data):
    """Width and height of a PNG; None for anything else."""
    return struct.unpack(">II", data[16:24]) if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) > 24 else None


# MARK: GIF

def gif_pixels(pixels):
    """LZW without compression: codes of 8 bits for 128 colours, and a clear code before the width would grow."""
    codes = bytearray()
    for start in range(0, len(pixels), 126):
        codes.append(0x80)
        codes += pixels[start:start + 126]
    codes.append(0x81)
    blocks = b"".join(bytes([len(codes[i:i + 255])]) + codes[i:i + 255] for i in range(0, len(codes), 255))
    return b"\x07" + blocks + b"\0"


def gif(width, height, frames, delay=4):
    """An animation of 128 greys and blues in which a stripe walks over a pattern, so that each frame differs."""
    palette = b"".join(bytes((i * 2, i, 255 - i * 2)) for i in range(128))
    data = b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF6, 0, 0) + palette
    if frames > 1:
        data += b"\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0"
    base = bytes((x * 3 + y * 5) % 96 for y in range(height) for x in range(width))
    for number in range(frames):
        pixels = bytearray(base)
        row = number % height
        pixels[row * width:(row + 1) * width] = bytes([100 + number % 28]) * width
        data += b"\x21\xF9\x04\x04" + struct.pack("<H", delay) + b"\0\0"
        data += b"\x2C" + struct.pack("<HHHHB", 0, 0, width, height, 0) + gif_pixels(pixels)
    return data + b";"


def gif_delays(data):
    """Milliseconds of each frame of a GIF; None where it does not end as one should."""
    try:
        place = 13 + (3 << (data[10] & 7) + 1 if data[10] & 0x80 else 0)
        delays, delay = [], 0
        while data[place] != 0x3B:
            if data[place] == 0x2C:
                delays.append(delay)
                packed = data[place + 9]
                place += 11 + (3 << (packed & 7) + 1 if packed & 0x80 else 0)
            else:
                if data[place + 1] == 0xF9:
                    delay = 10 * struct.unpack("<H", data[place + 4:place + 6])[0]
                place += 2
            while data[place]:
                place += 1 + data[place]
            place += 1
        return delays
    except IndexError:
        return None


# MARK: WebP

def riff_chunk(kind, data):
    return kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def webp_chunks(data):
    """(kind, payload) of each chunk after the head."""
    place = 12
    while place + 8 <= len(data):
        size = struct.unpack("<I", data[place + 4:place + 8])[0]
        yield data[place:place + 4], data[place + 8:place + 8 + size]
        place += 8 + size + size % 2


def webp_animation(stills, width, height, delay=40):
    """An animation of still WebPs, each of which fills the canvas."""
    def three(number):
        return struct.pack("<I", number)[:3]
    body = riff_chunk(b"VP8X", b"\x02\0\0\0" + three(width - 1) + three(height - 1))
    body += riff_chunk(b"ANIM", b"\0\0\0\0\0\0")
    for still in stills:
        picture = b"".join(riff_chunk(kind, data) for kind, data in webp_chunks(still) if kind in (b"VP8 ", b"VP8L"))
        body += riff_chunk(b"ANMF", three(0) * 2 + three(width - 1) + three(height - 1) + three(delay) + b"\0" + picture)
    return b"RIFF" + struct.pack("<I", 4 + len(body)) + b"WEBP" + body


def webp_delays(data):
    """The same of a WebP; that of a still is 0."""
    if data[:4] != b"RIFF" or data[8:12] != b"WEBP":
        return None
    return [struct.unpack("<I", frame[12:15] + b"\0")[0] for kind, frame in webp_chunks(data) if kind == b"ANMF"] or [0]


def delays(data):
    """Of a GIF or a WebP; None for anything else."""
    return gif_delays(data) if data[:4] == b"GIF8" else webp_delays(data)


# MARK: Heads that mean harm

NUMBERS = ("inf", "-inf", "infinity", "nan", "-nan", "NaN", "1e309", "-1e309", "1e308", "1e-400", "-0", "0", "-1", "",
           "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "1e19", "0x7fffffff", "٣", "1e",
           "1" * 400, "99999999999999999999999999999999999", "100%", "1e309%", "inf%", "1e300in", "nanpx", ".", "+", "1e+")


def odd_drawings():
    for number in NUMBERS:
        for attributes in (
            f'viewBox="0 0 {number} {number}" width="10"', f'viewBox="0 0 {number} {number}"',
            f'viewBox="0 0 10 {number}" height="10"', f'viewBox="0 0 {number} 10" height="10"',
            f'viewBox="{number} {number} 10 10"', f'width="{number}" height="{number}"', f'width="{number}"',
            f'width="10" height="{number}" viewBox="0 0 10 10"', f'viewBox="0,0,{number},1e-320" width="5"',
        ):
            yield f"svg {attributes[:60]}", f'<svg {attributes} xmlns="http://www.w3.org/2000/svg"></svg>'.encode()
    yield "svg deep", b"<svg xmlns='http://www.w3.org/2000/svg'>" + b"<g>" * 20000
    yield "svg entities", (b'<!DOCTYPE svg [<!ENTITY a "' + b"x" * 100 + b'"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
                           b"<svg xmlns='http://www.w3.org/2000/svg' width='&b;' height='&b;'/>")
    yield "svg unclosed", b"<svg width='" + b"9" * 5000
    yield "svg comment", b"<!--" * 3000 + b"<svg width='1'/>"


def odd_rasters():
    """Names and bytes of files whose heads say what no picture has."""
    sides = (0, 1, 0x7FFF, 0x8000, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
    for width in sides:
        for height in (0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
            yield f"png {width}×{height}", (
                b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                + png_chunk(b"acTL", struct.pack(">II", height, 0)) + png_chunk(b"IDAT", b"x\x9cc") + b"\0")
            yield f"bmp {width}×{height}", b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + struct.pack(
                "<IIIHHIIIIII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
            yield f"tiff {width}×{height}", _tiff([(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (277, 3, 1, 3)])
            yield f"avif {width}×{height}", _avif(width, height)
            yield f"jxl {width}×{height}", b"\xff\x0a" + struct.pack("<IIQ", width, height, 2 ** 64 - 1)
    for length in (0, 1, 2, 7, 8, 0xFFFF):
        for height in (0, 0xFFFF):
            yield f"jpeg SOF of {length}", (b"\xff\xd8\xff\xc0" + struct.pack(">HBHHB", length, 8, height, 0xFFFF, 3)
                                            + b"\1\x22\0\2\x11\1\3\x11\1")
            yield f"jpeg EXIF of {length}", b"\xff\xd8\xff\xe1" + struct.pack(">H", length) + b"Exif\0\0MM\0*\xff\xff\xff\xff"
            yield f"jpeg ICC of {length}", b"\xff\xd8\xff\xe2" + struct.pack(">H", length) + b"ICC_PROFILE\0\0\xff"
    for offset in (0, 4, 8, 0x7FFFFFFF, 0xFFFFFFFF):
        yield f"tiff at {offset}", b"II*\0" + struct.pack("<I", offset) + b"\xff" * 40
        yield f"bigtiff at {offset}", b"II+\0\x08\0\0\0" + struct.pack("<q", -offset) + b"\xff" * 40
        yield f"tiff loop {offset}", _tiff([(256, 4, 1, 10), (257, 4, 1, 10)], following=8)
        yield f"tiff count {offset}", _tiff([(256, 12, 0xFFFFFFFF, offset), (257, 11, 0x40000000, offset)])
        yield f"exif float {offset}", _tiff([(282, 5, 1, offset), (283, 10, 1, offset), (256, 12, 1, offset), (257, 11, 1, offset)])
        box = struct.pack(">I", offset)
        yield f"avif box {offset}", box + b"ftypavif\0\0\0\0avif" + box + b"meta\0\0\0\0" + box + b"iprp" + box + b"ipco"
        yield f"avif large {offset}", b"\0\0\0\x18ftypavif\0\0\0\0avifmif1\0\0\0\1meta" + struct.pack(">Q", 2 ** 63 + offset)
        yield f"webp {offset}", b"RIFF" + struct.pack("<I", offset) + b"WEBPVP8X" + struct.pack("<I", offset) + b"\xff" * 10
        yield f"webp VP8L {offset}", b"RIFF\xff\xff\xff\xffWEBPVP8L" + struct.pack("<I", offset) + b"\x2f\xff\xff\xff\xff"
        yield f"webp VP8 {offset}", b"RIFF\xff\xff\xff\xffWEBPVP8 " + struct.pack("<I", offset) + b"\x30\1\0\x9d\1\x2a\xff\xff\xff\xff"
        yield f"webp ANMF {offset}", (b"RIFF\xff\xff\xff\xffWEBPVP8X\x0a\0\0\0\2\0\0\0\xff\xff\xff\xff\xff\xffANMF"
                                      + struct.pack("<I", offset) + b"\xff" * 24)
        yield f"ico {offset}", b"\0\0\1\0\xff\xff\0\0\0\0\1\0\x20\0" + struct.pack("<II", offset, offset)
    yield "gif 0×0", b"GIF89a\0\0\0\0\xf7\0\0"
    yield "gif of no end", b"GIF89a\xff\xff\xff\xff\0\0\0" + b"\x21\xf9\x04\0\xff\xff\0\0\x2c" + b"\xff" * 8 + b"\0\1\0" * 2000
    yield "gif loop", b"GIF89a\1\0\1\0\0\0\0\x21\xff\x0bNETSCAPE2.0\x03\1\xff\xff\0;"
    for media in ("inf inf", "nan nan", "1e309 1", "-1 -1", "2147483648 9223372036854775808", "0 0"):
        yield f"pdf {media}", f"%PDF-1.7\n1 0 obj<</Type/Page/MediaBox[0 0 {media}]/UserUnit {media}>>endobj\n%%EOF".encode()
    yield "jxl box", b"\0\0\0\x0cJXL \r\n\x87\n" + b"\0\0\0\1jxlc" + b"\xff" * 8 + b"\xff\x0a" + b"\xff" * 20


def _tiff(entries, following=0):
    data = b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries))
    for tag, kind, count, value in entries:
        data += struct.pack("<HHII", tag, kind, count, value)
    return data + struct.pack("<I", following)


def _box(kind, data):
    return struct.pack(">I", 8 + len(data)) + kind + data


def _avif(width, height):
    ispe = _box(b"ispe", struct.pack(">III", 0, width, height))
    clap = _box(b"clap", struct.pack(">IiIiIiIi", 0xFFFFFFFF, 0, 0xFFFFFFFF, 0, 0, 0, 0, 0))
    return (_box(b"ftyp", b"avif\0\0\0\0avifmif1")
            + _box(b"meta", b"\0\0\0\0" + _box(b"pitm", b"\0\0\0\0\0\1")
                   + _box(b"iprp", _box(b"ipco", ispe + clap + _box(b"irot", b"\xff"))
                          + _box(b"ipma", b"\0\0\0\0\0\0\0\1\0\1\3\1\x82\x83"))))


def mutated(data, generator, most=6):
    """Some bytes flipped, cut out, doubled or replaced by what numbers end with."""
    data = bytearray(data)
    for _ in range(generator.randint(1, most)):
        if not data:
            break
        place = generator.randrange(len(data))
        kind = generator.randrange(7)
        if kind == 6:
            # In the place of a number, where there is one behind it.
            digits = re.compile(rb"[0-9]+").search(data, place)
            data[slice(*digits.span()) if digits else slice(place, place)] = generator.choice(NUMBERS).encode()
        elif kind == 0:
            data[place] ^= 1 << generator.randrange(8)
        elif kind == 1:
            data[place:place + generator.choice((1, 2, 4, 8))] = generator.choice(
                (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\x80\0\0\0", b"\0", b"\xff\xff"))
        elif kind == 2:
            del data[place:place + generator.randint(1, 64)]
        elif kind == 3:
            data[place:place] = data[place:place + generator.randint(1, 64)]
        elif kind == 4:
            del data[place:]
        else:
            data[place] = generator.randrange(256)
    return bytes(data)
