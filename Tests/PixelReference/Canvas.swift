// SPDX-License-Identifier: Apache-2.0

/// Pixels in the plain: rows from the top, 8 bits a band, 1…4 bands (grey, grey and alpha, RGB, RGBA).
package struct Canvas: Equatable, Sendable {
    package let width: Int
    package let height: Int
    package let bands: Int
    package var samples: [UInt8]

    package init(width: Int, height: Int, bands: Int, samples: [UInt8]) {
        precondition(samples.count == width * height * bands)
        (self.width, self.height, self.bands, self.samples) = (width, height, bands, samples)
    }

    /// For small ones, or drawn in this module: a test's closure is not optimised.
    package init(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) {
        var samples: [UInt8] = []
        samples.reserveCapacity(width * height * 4)
        for y in 0..<height { for x in 0..<width { samples += pixel(x, y) } }
        self.init(width: width, height: height, bands: samples.count / (width * height), samples: samples)
    }

    /// A canvas of one colour.
    package init(_ width: Int, _ height: Int, of colour: [UInt8]) {
        self.init(width, height) { _, _ in colour }
    }

    package subscript(_ x: Int, _ y: Int) -> [UInt8] {
        let start = (y * width + x) * bands
        return Array(samples[start..<start + bands])
    }

    /// One of its bands, in so many.
    package func band(_ band: Int, times count: Int = 1) -> Canvas {
        Canvas(width, height) { x, y in
            [UInt8](repeating: samples[(y * width + x) * bands + band], count: count)
        }
    }

    /// Pixels of a colour, within 8 levels.
    package func count(of colour: [UInt8]) -> Int {
        let compared = min(bands, colour.count)
        return (0..<width * height).count { pixel in
            let start = pixel * bands
            return (0..<compared).allSatisfy { abs(Int(samples[start + $0]) - Int(colour[$0])) <= 8 }
        }
    }

    /// As a camera stores it that is held so: the inverse of EXIF's tag 0x0112.
    package func stored(_ orientation: Int) -> Canvas {
        let (right, bottom) = (width - 1, height - 1)
        return Canvas(orientation >= 5 ? height : width, orientation >= 5 ? width : height) { x, y in
            switch orientation {
            case 2: self[right - x, y]
            case 3: self[right - x, bottom - y]
            case 4: self[x, bottom - y]
            case 5: self[y, x]
            case 6: self[right - y, x]
            case 7: self[right - y, bottom - x]
            case 8: self[y, bottom - x]
            default: self[x, y]
            }
        }
    }
}

/// How far two colours are apart in their worst band.
package func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    guard a.count == b.count else { return 256 }
    return zip(a, b).map { abs(Int($0) - Int($1)) }.max() ?? 256
}
