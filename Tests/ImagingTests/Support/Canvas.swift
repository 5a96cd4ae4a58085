// SPDX-License-Identifier: Apache-2.0

import ImageHeaders

/// Pixels in the plain: rows from the top, 8 bits a band, 1…4 bands (grey, grey and alpha, RGB, RGBA).
struct Canvas: Equatable {
    let width: Int
    let height: Int
    let bands: Int
    var samples: [UInt8]

    init(width: Int, height: Int, bands: Int, samples: [UInt8]) {
        precondition(samples.count == width * height * bands)
        (self.width, self.height, self.bands, self.samples) = (width, height, bands, samples)
    }

    init(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
        var samples: [UInt8] = []
        for y in 0..<height { for x in 0..<width { samples += pixel(x, y) } }
        self.init(width: width, height: height, bands: samples.count / (width * height), samples: samples)
    }

    /// Of one colour.
    init(_ width: Int, _ height: Int, of colour: [UInt8]) { self.init(width, height) { _, _ in colour } }

    subscript(_ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * width + x) * bands
        return Array(samples[start..<start + bands])
    }

    var size: PixelSize { PixelSize(width: width, height: height) }
}

/// Top left red, top right green, bottom left blue, bottom right white.
func quarters(_ width: Int, _ height: Int) -> Canvas {
    Canvas(width, height) { x, y in
        switch (x < width / 2, y < height / 2) {
        case (true, true): [255, 0, 0]
        case (false, true): [0, 255, 0]
        case (true, false): [0, 0, 255]
        case (false, false): [255, 255, 255]
        }
    }
}

/// No two parts alike, and nothing that shrinking would alias.
func gradient(_ width: Int, _ height: Int) -> Canvas {
    Canvas(width, height) { x, y in
        [UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), 128]
    }
}

/// How far two colours are apart in their worst band.
func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard a.count == b.count else { return 256 }
    return zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 256
}
