# SPDX-License-Identifier: Apache-2.0
"""Pictures that must come out: animations under the jail, formats that hold them, and words about those that do not."""

import json
import os
import re
import shutil
import subprocess
import time
import urllib.parse

from lab import client, pictures
from lab.case import Skip, case
from lab.daemon import until

EFFECTS = (
    "", "w=100", "w=41", "w=30&h=30&fit=cover", "w=30&h=30&fit=cover&a=attention", "w=30&h=30&fit=cover&a=entropy",
    "w=60&h=60&fit=contain&cbg=red", "w=90&we=0", "w=33&linear", "w=40&blur=2&sharp=1", "sharp", "sharp=1,2,1", "blur=4", "filt=greyscale",
    "filt=sepia", "profile=p3", "filt=negate", "filt=duotone", "tint=704214", "bri=20", "con=20", "gam=2", "mod=1.2,0.8,40", "mask=circle",
    "mask=star&mbg=gold&mtrim", "ro=30&rbg=80ff0000", "ro=90", "flip&flop", "trim=20", "cx=5&cy=5&cw=20&ch=20",
    "cx=5&cy=5&cw=20&ch=20&precrop&w=15", "bg=white", "dpr=2&w=20", "w=50%25", "page=0&w=30",
    "pixelate=7", "radius=9,3&pad=4,2", "radius=5&pad=3&pbg=gold",
    "w=33&blur=1&sharp=2&con=10&bri=5&sat=2&hue=90&tint=red&mask=heart&ro=45",
)


@case("6 animations", "every effect makes every animation whole, under the jail")
def animations(lab):
    sources = {f"{count}.gif": pictures.gif(64, 48, count) for count in (1, 12, 19, 20, 64, 256)}
    origin = lab.origin(lambda peer: peer.answer(sources[peer.path[1:]], kind="image/gif"))
    daemon = lab.daemon("--decoder-jail", "require", "--log-access", "false")
    counts, bad = {}, {}
    for name, source in sorted(sources.items(), key=lambda item: len(item[1])):
        frames = int(name.split(".")[0])
        for output in ("gif", "webp"):
            for effect in EFFECTS:
                for wanted in (1, 12, 19, 20, 64, 256, -1) if effect in ("w=100", "w=41") else (-1,):
                    reply = daemon.picture(origin.url("/" + name), f"n={wanted}&output={output}&{effect}".rstrip("&"))
                    expected = frames if wanted == -1 else min(frames, wanted)
                    delays = pictures.delays(reply.body) if reply.is_good else None
                    # Encoders join frames that have come to look alike; they last as long together.
                    right = bool(delays) and (len(delays) == expected or len(delays) < expected and sum(delays) == 40 * expected)
                    counts[right] = counts.get(right, 0) + 1
                    if not right:
                        got = f"{len(delays)} frames of {sum(delays)} ms" if delays else str(reply)
                        bad.setdefault(got, []).append(f"{frames} frames, n={wanted}, {output}, {effect or 'no effect'}")
    for got, which in bad.items():
        lab.check(False, f"{len(which)} were {got}, as {which[:3]}")
    lab.note(f"{counts.get(True, 0)} of {sum(counts.values())} right; {daemon.metric('pictor_decoder_forbidden_calls_total'):.0f} "
             "decoders killed for a forbidden call")


@case("6 WebP animations", "animations that come as WebP, too")
def webp_animations(lab):
    stills = lab.origin(lambda peer: peer.answer(pictures.gradient(64, 48, hue=int(peer.path[1:]) * 9)))
    daemon = lab.daemon("--decoder-jail", "require", "--log-access", "false")
    frames = [daemon.picture(stills.url(f"/{number}"), "output=webp&ll").body for number in range(20)]
    sources = {str(count): pictures.webp_animation([frames[number % 20] for number in range(count)], 64, 48)
               for count in (1, 19, 20, 64, 256)}
    origin = lab.origin(lambda peer: peer.answer(sources[peer.path[1:]], kind="image/webp"))
    for count in sources:
        for options in ("w=30&output=webp", "w=41&output=gif", "w=20&blur=1&output=webp"):
            reply = daemon.picture(origin.url("/" + count), f"n=-1&{options}")
            delays = pictures.delays(reply.body) if reply.is_good else None
            lab.check(delays and len(delays) == int(count), f"{count} frames, {options}: {reply}, delays {delays}")


@case("6 speed of animations", "250 frames take at most 1.2 times what gif2webp and gifsicle take for the same work")
def speed(lab):
    tools = [name for name in ("gif2webp", "gifsicle") if not shutil.which(name)]
    if tools:
        raise Skip(f"{' and '.join(tools)} not installed (apt install webp gifsicle)")
    source = lab.folder / "source.gif"
    source.write_bytes(pictures.gif(480, 320, 250))
    origin = lab.origin(lambda peer: peer.answer(source.read_bytes(), kind="image/gif"))
    daemon = lab.daemon("--decoder-jail", "require", "--decoder-timeout", "60s", "--decoder-maximum-pixels", "200000000",
                        "--encoder-keep-smaller-original", "false")
    work = {
        "output=webp": ["gif2webp", "-quiet", "-lossy", "-q", "80", "-m", "2", source, "-o", lab.folder / "out"],
        "output=gif&w=240": ["gifsicle", "--resize-width", "240", "-O1", source, "-o", lab.folder / "out"],
    }
    for options, command in work.items():
        ratios = []
        for attempt in range(3):
            start = time.monotonic()
            subprocess.run(command, check=True, capture_output=True)
            tool = time.monotonic() - start
            # Another spelling of quality makes another rendition.
            reply = daemon.picture(origin.url(), f"n=-1&{options}&delay={40 + attempt * 10}", timeout=90)
            lab.check(reply.is_good and len(pictures.delays(reply.body) or ()) == 250, f"{options}: {reply}")
            ratios.append(reply.seconds / tool)
        lab.check(min(ratios) <= 1.2, f"{options} took {min(ratios):.1f} times as long as {command[0]}")
        lab.note(f"{options}: {reply.seconds:.2f} s, {command[0]} {tool:.2f} s, best ratio {min(ratios):.2f}")


# MARK: Processes that were taken over

DECODER_LIES = ("drawing", "drawing-as-jpeg", "png", "wider", "higher", "pages", "longer")
INSPECTOR_LIES = ("huge", "larger", "none", "turned", "pages", "format")
ATTEMPTS = ("read", "list", "write", "connect", "exec", "fork", "signal", "ptrace", "limits", "code", "probe", "probe-more", "crash",
            "trap", "leave", "babble")


@case("9 processes that were taken over", "what a decoder or an inspector says is held against what was ordered")
def taken_over(lab):
    program = lab.options.hostile
    if not os.access(program, os.X_OK):
        raise Skip(f"no {program}: swift build --product hostile-pictor, or --hostile PATH")
    words = [f"decoder-lie:{name}" for name in DECODER_LIES] + [f"inspector-lie:{name}" for name in INSPECTOR_LIES]
    words += [f"{what}:{name}" for what in ("mischief", "inspector") for name in ATTEMPTS]
    picture = pictures.gradient(120, 80)
    # Its padding is longer than what is looked at, so that no name is read together with the picture's end.
    origin = lab.origin(lambda peer: peer.answer(
        picture + (b"" if peer.path == "/good" else b"\0" * 40 + words[int(peer.path[1:])].encode())))
    daemon = lab.daemon("--decoder-jail", "require", "--decoder-timeout", "10s", program=program)
    told, believed = {}, []
    for number, word in enumerate(words):
        reply = daemon.picture(origin.url(f"/{number}"), "w=30&output=jpg", timeout=30)
        told[word] = str(reply)
        if reply.status == 200:
            believed.append((word, reply))
        lab.check(reply.status != 0 and daemon.is_alive, f"{word}: {reply}, the daemon {daemon.end}")
        good = until(lambda: (lambda reply: reply if reply.is_good else None)(
            daemon.picture(origin.url("/good"), f"w={31 + number}&output=jpg", timeout=30)), 5, step=0.2)
        lab.check(good and good.body[:3] == b"\xff\xd8\xff", f"after {word} no picture")
    if len([word for word, _ in believed if "lie" in word]) == len(DECODER_LIES) + len(INSPECTOR_LIES):
        raise Skip("this hostile build knows no lies")
    for word, reply in believed:
        lab.check(False, f"{word} was believed: {reply['content-type']} of {len(reply.body)} bytes")
    lab.note(f"{len(words)} lies and attempts: {told}" if lab.options.v else f"{len(words)} lies and attempts")


# MARK: Formats and their words

@case("11 automatic format", "output=auto finds the format that can hold the picture")
def automatic(lab):
    origin = lab.origin(lambda peer: peer.answer(pictures.flat(800, 19580)))
    daemon = lab.daemon()
    for accept in ("image/avif,image/webp,*/*", "image/webp,*/*", "image/avif,*/*"):
        for target in (client.target(origin.url(), "output=auto"),
                       client.target(origin.url(), "w=800&q=75", path="/_next/image")):
            reply = daemon.get(target, fields=[("Accept", accept)])
            lab.check(reply.is_good, f"{target[:6]} with Accept: {accept}: {reply}")


@case("11 srcset", "json=srcset keeps what else the URL asked for")
def srcset(lab):
    origin = lab.origin(lambda peer: peer.answer(pictures.gradient(400, 300)))
    daemon = lab.daemon("--options-presets", "soft=blur=2")
    options = "json=srcset&output=json&cx=10&cy=20&cw=200&ch=100&precrop&w=160&filt=sepia&wm=" + urllib.parse.quote(
        origin.url("/mark.png"), safe="") + "&wmo=0.5&preset=soft"
    reply = daemon.picture(origin.url(), options)
    lab.check(reply.is_good, f"{reply}: {reply.text[:200]}")
    text = json.dumps(json.loads(reply.body).get("srcset", "")) if reply.is_good else ""
    for words in (("cx=10",), ("cw=200",), ("precrop",), ("filt=sepia",), ("wm=",), ("wmo=0.5",), ("preset=soft", "blur=2")):
        lab.check(any(word in text for word in words), f"srcset has no {words[0]}: {text[:160]}")
    urls = re.findall(r"(/img\?[^ \"]+) \d+w", text)
    lab.check(urls, f"no URLs in {text[:160]}")
    for url in urls[:4]:
        answer = daemon.get(url)
        lab.check(answer.is_good, f"{url}: {answer}")


@case("11 JPEG XL", "output=json tells the size of a JPEG XL")
def jpeg_xl(lab):
    origin = lab.origin(lambda peer: peer.answer(pictures.gradient(123, 77)))
    daemon = lab.daemon("--decoder-formats", "jpeg,png,webp,gif,avif,jxl")
    made = daemon.picture(origin.url(), "output=jxl")
    if not made.is_good:
        raise Skip(f"JPEG XL cannot be written here: {made}")
    second = lab.origin(lambda peer: peer.answer(made.body, kind="image/jxl"))
    reply = daemon.picture(second.url("/x.jxl"), "output=json")
    lab.check(reply.is_good, str(reply))
    told = json.loads(reply.body) if reply.is_good else {}
    lab.check((told.get("width"), told.get("height")) == (123, 77), f"{told.get('width')} × {told.get('height')}, not 123 × 77")


@case("11 words about AVIF", "what could not be had as AVIF is refused or named in a field")
def avif_words(lab):
    sources = {"/animation": pictures.gif(64, 48, 5), "/large": pictures.flat(2400, 2000)}
    origin = lab.origin(lambda peer: peer.answer(sources[peer.path]))
    daemon = lab.daemon()
    for path, options, reason in (("/animation", "n=-1&output=avif", "a still"), ("/large", "output=avif", "another format")):
        plain = daemon.picture(origin.url("/animation"), "output=webp&n=-1&w=30")
        reply = daemon.picture(origin.url(path), options)
        if reply.status != 200:
            lab.check(400 <= reply.status < 500, f"{path}: {reply}")
            continue
        more = {name: value for name, value in reply.fields.items()
                if name not in plain.fields and name not in ("age", "server-timing")}
        told = more or re.search("still|avif|frames|instead", reply["cache-status"] or "")
        lab.check(told, f"{options} gives {reason} ({reply['content-type']}) without a word")
        lab.note(f"{options}: {reply['content-type']}, {more}")
