#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Is a picture the same for every kind of file that its original comes in, and for every way in which it is made?

Random originals, of 1 to 900 pixels a side, are asked for by random options of `/img`:

- as PNG, and the same pixels as TIFF or BMP: no pixel may differ by more than 1;
- with the pixels in one of the seven other orientations, which the file states: the mean difference is at most 3. A picture that is
  resized from another side is rounded differently; one that is cut or turned wrongly differs by 40 and more if it has noise or blocks;
- as JPEG, of a daemon with `decoder.jpeg-lane` and of one without: 30 dB at least;
- as an animation, GIF or WebP: each frame differs by at most 3 from the picture of this frame alone by `page`. One without options,
  whose frames are not cleared, equals what Pillow reads.

Colours are multiplied by alpha before the comparison. No answer may have a status of 5xx, and files with the same pixels must have the
same status. A printed seed decides everything. If a rule is broken, the script prints the request and ends with status 1.

    lab/bin/python Benchmarks/sameness.py                       # `lab`: see encoders.py
    lab/bin/python Benchmarks/sameness.py --seed 7 --count 2000
"""

import io
import random
import sys

import numpy
from PIL import Image, ImageSequence

from lab import Lab, Pictures, arguments, describe_machine, require

ORIENTATION = 0x0112
# Orientation → the transformation of the upright pixels that this orientation undoes.
TURNED = {
    2: Image.Transpose.FLIP_LEFT_RIGHT, 3: Image.Transpose.ROTATE_180, 4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE, 6: Image.Transpose.ROTATE_90, 7: Image.Transpose.TRANSVERSE, 8: Image.Transpose.ROTATE_270,
}
# Allowed differences out of 255: the largest between containers and frames, the mean between orientations.
CONTAINER, FRAME, MEAN = 1, 3, 3
LANE = 30  # dB

# Option → how often it is given, and its values.
OPTIONS = {
    "w": (0.7, ["1", "2", "9", "23", "57", "120", "333", "640", "1100", "13%", "50%", "87%", "149%"]),
    "h": (0.5, ["1", "3", "11", "30", "66", "121", "300", "601", "1000", "7%", "45%", "100%", "140%"]),
    "fit": (0.6, ["inside", "outside", "cover", "fill", "contain", "auto"]),
    "ar": (0.1, ["16:9", "1:1", "3:4", "2.5"]), "we": (0.2, ["0"]), "wr": (0.05, ["1"]), "dpr": (0.1, ["2", "1.5", "0.5"]),
    "zoom": (0.1, ["0.5", "2"]), "turnbox": (0.05, ["1"]), "shrinkbox": (0.05, ["1"]),
    "a": (0.2, ["top", "right", "bottom", "left", "top-left", "bottom-right", "focal"]),
    "fpx": (0.1, ["0", "0.3", "1"]), "fpy": (0.1, ["0.1", "0.8"]), "cw": (0.1, ["1", "40", "180", "50%"]),
    "ch": (0.1, ["1", "40", "180", "50%"]), "cx": (0.05, ["-7", "0", "33"]), "cy": (0.05, ["-7", "12", "90"]),
    "precrop": (0.05, ["1"]), "ro": (0.2, ["90", "180", "270", "-90", "45", "13"]), "flip": (0.15, ["1"]), "flop": (0.15, ["1"]),
    "preturn": (0.1, ["1"]), "bg": (0.1, ["fff", "ff0000", "80ff0000"]), "cbg": (0.1, ["000", "average"]), "pad": (0.05, ["5", "1,2,3,4"]),
    "radius": (0.05, ["3", "40"]), "mask": (0.05, ["circle", "ellipse", "star", "heart"]), "linear": (0.05, ["1"]),
    "blur": (0.05, ["0.5", "3"]), "sharp": (0.05, ["0.5", "1"]), "filt": (0.05, ["greyscale", "sepia", "negate", "duotone"]),
    "mod": (0.03, ["1.2,0.8,30"]), "gam": (0.03, ["2.2"]), "con": (0.03, ["20"]), "tint": (0.03, ["f00"]),
}


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=500, help="pictures, and a third as many animations")
    options = parser.parse_args()
    require("nginx")
    describe_machine()
    print(f"seed {options.seed}")
    with Lab() as lab:
        trial = Trial(lab, options)
        for number in range(options.count):
            trial.picture(number)
        for number in range(options.count // 3):
            trial.animation(number)
    print(f"{trial.compared} comparisons, {len(trial.broken)} promises broken")
    sys.exit(1 if trial.broken else 0)


class Trial:
    def __init__(self, lab, options):
        self.chance, self.noise = random.Random(options.seed), numpy.random.default_rng(options.seed)
        self.folder = lab.folder / "originals"
        self.folder.mkdir()
        origin = f"http://127.0.0.1:{lab.start_origin(self.folder)}"
        # Each daemon is asked for a picture only once, so caches would be useless.
        self.pictures, self.by_libvips = (
            Pictures(lab, options.pictor, origin, "--cache-memory", "0", "--decoder-jpeg-lane", lane, name=f"lane-{lane}")
            for lane in ("true", "false"))
        self.compared, self.broken = 0, []

    def picture(self, number):
        drawn, query = self.draw(self.side(), self.side()), self.query()
        status, body = self.ask(f"{number}.png", query, drawn)
        self.container(number, drawn, query, status, body)
        self.orientation(number, drawn, query, status, body)
        if status == 200 and drawn.mode != "RGBA":
            self.lane(number, drawn, query)
        for file in self.folder.glob(f"*{number}.*"):
            file.unlink()

    def container(self, number, drawn, query, status, body):
        kind = self.chance.choice(["tiff", "bmp"] if drawn.mode == "RGB" else ["tiff"])
        other_status, other = self.ask(f"{number}.{kind}", query, drawn)
        if self.hold(status == other_status, f"{status}, but {other_status}", f"{number}.{kind}", query) and status == 200:
            self.compare(body, other, lambda gap: gap.max() <= CONTAINER, f"{number}.{kind}", query)

    def orientation(self, number, drawn, query, status, body):
        orientation = self.chance.choice(list(TURNED))
        exif = Image.Exif()
        exif[ORIENTATION] = orientation
        name = f"turned-{number}.{self.chance.choice(['png', 'tiff'])}"
        other_status, other = self.ask(name, query, drawn.transpose(TURNED[orientation]), exif=exif)
        if self.hold(status == other_status, f"{status}, but {other_status} turned", name, query) and status == 200:
            self.compare(body, other, lambda gap: gap.mean() <= MEAN, f"{name}, orientation {orientation}", query)

    def lane(self, number, drawn, query):
        name, query = f"{number}.jpg", query.replace("output=png", "output=jpg")
        drawn.save(self.folder / name, quality=95, subsampling=self.chance.choice([0, 1, 2]))
        answers = [side.ask(name, query) for side in (self.pictures, self.by_libvips)]
        (status, _, body), (other_status, _, other) = answers
        if self.hold(status == other_status, f"{status}, but {other_status} by libvips", name, query) and status == 200:
            self.compare(body, other, lambda gap: (gap ** 2).mean() <= 255 ** 2 / 10 ** (LANE / 10), f"{name}, lane", query)

    def animation(self, number):
        kind, query = self.chance.choice(["gif", "gif", "webp"]), self.query() if self.chance.random() < 0.8 else "output=png"
        name = f"moving-{number}.{kind}"
        is_cleared = self.move(name, kind)
        frames = [frame.convert("RGBA") for frame in ImageSequence.Iterator(Image.open(self.folder / name))]
        status, _, body = self.pictures.ask(name, query.replace("output=png", "n=-1&output=webp&ll=1"))
        self.hold(status < 500, f"{status}", name, query)
        if status != 200:
            return
        made = [frame.convert("RGBA") for frame in ImageSequence.Iterator(Image.open(io.BytesIO(body)))]
        # WebP merges equal frames.
        if len(made) != len(frames):
            return
        for page, frame in enumerate(made):
            alone = self.pictures.make(name, f"{query}&page={page}")
            self.compare(alone, frame, lambda gap: gap.max() <= FRAME, f"{name}, frame {page}", query)
            if query == "output=png" and not is_cleared:
                self.compare(frames[page], frame, lambda gap: gap.max() == 0, f"{name}, frame {page} as read by Pillow", query)
        (self.folder / name).unlink()

    # MARK: Originals and options

    def side(self):
        return self.chance.choice([1, 2, 5, self.chance.randint(1, 40), self.chance.randint(20, 300), self.chance.randint(100, 900)])

    def draw(self, width, height, mode=None):
        y, x = numpy.mgrid[0:height, 0:width].astype(float)
        kind = self.chance.choice(["waves", "noise", "blocks"])
        if kind == "waves":
            colours = numpy.stack([127 + 120 * numpy.sin(x / (9 + 17 * c) + y / (11 + 23 * c)) for c in range(3)], -1)
        elif kind == "noise":
            colours = self.noise.integers(0, 256, (height, width, 3))
        else:
            few = self.noise.integers(0, 256, (height // 16 + 1, width // 16 + 1, 3))
            colours = few.repeat(16, 0).repeat(16, 1)[:height, :width]
        colours = colours.astype(numpy.uint8)
        mode = mode or self.chance.choice(["RGB", "RGB", "RGBA", "L"])
        if mode == "RGBA":
            alpha = numpy.clip(255 * (0.5 + 0.7 * numpy.sin(x / 25) * numpy.cos(y / 31)), 0, 255).astype(numpy.uint8)
            colours = numpy.dstack([colours, alpha])
        return Image.fromarray(colours[..., 0] if mode == "L" else colours)

    def move(self, name, kind):
        mode = self.chance.choice(["RGB", "RGBA"])
        frames = [self.draw(self.chance.randint(1, 300), self.chance.randint(1, 300), mode)]
        width, height = frames[0].size
        for _ in range(self.chance.randint(1, 6)):
            patch = self.draw(self.chance.randint(1, width), self.chance.randint(1, height), mode)
            frames.append(frames[-1].copy())
            frames[-1].paste(patch, (self.chance.randint(0, width - patch.width), self.chance.randint(0, height - patch.height)))
        own = {"disposal": self.chance.choice([0, 1, 2])} if kind == "gif" else {"lossless": True, "exact": True}
        frames[0].save(self.folder / name, save_all=True, append_images=frames[1:], duration=50, loop=0, **own)
        # With 256 colours and no transparent one, a cleared area has the background's colour:
        # docs/reference/pixels.md.
        return own.get("disposal") == 2

    def query(self):
        chosen = {
            name: self.chance.choice(values) for name, (share, values) in OPTIONS.items() if self.chance.random() < share}
        if "cw" not in chosen and "ch" not in chosen:
            for name in ("cx", "cy", "precrop"):
                chosen.pop(name, None)
        return "&".join([f"{name}={value.replace('%', '%25')}" for name, value in chosen.items()] + ["output=png"])

    # MARK: Comparing

    def ask(self, name, query, drawn, **how):
        drawn.save(self.folder / name, **how)
        status, _, body = self.pictures.ask(name, query)
        self.hold(status < 500, f"{status}", name, query)
        return status, body

    def compare(self, one, other, holds, name, query):
        one, other = weighed(one), weighed(other)
        if self.hold(one.shape == other.shape, f"{one.shape}, but {other.shape}", name, query):
            gap = numpy.abs(one - other)
            self.hold(holds(gap), f"differs by {gap.mean():.2f}, at most {gap.max():.0f}", name, query)

    def hold(self, promise, words, name, query):
        self.compared += 1
        if not promise:
            self.broken.append(name)
            print(f"{name}: {query}: {words}", flush=True)
        return promise


def weighed(picture):
    """The pixels of a picture, with colours multiplied by alpha."""
    if isinstance(picture, bytes):
        picture = Image.open(io.BytesIO(picture))
    pixels = numpy.asarray(picture.convert("RGBA")).astype(float)
    pixels[..., :3] *= pixels[..., 3:] / 255
    return pixels


main()
