// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Top left red, top right green, bottom left blue, bottom right white.
package func quarters(_ width: Int, _ height: Int) -> Canvas {
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
package func gradient(_ width: Int, _ height: Int) -> Canvas {
    Canvas(width, height) { x, y in
        [UInt8(x * 255 / max(1, width - 1)), UInt8(y * 255 / max(1, height - 1)), 128]
    }
}

/// Soft shapes, edges and a little grain, in colours.
package func softShapes(_ width: Int, _ height: Int) -> Canvas {
    Canvas(width, height) { x, y in
        let (u, v) = (Double(x) / 40, Double(y) / 40)
        let edge = (x / 37 + y / 29) % 2 == 0 ? 24.0 : -24
        let grain = Double((x * 7919 + y * 104_729) % 13) - 6
        let light = 120 + 50 * sin(u * 1.7 + v) + edge + grain
        return [light + 40 * cos(v * 1.3), light, light + 40 * sin(u - v)].map(level)
    }
}

/// Small shapes in colours that differ in more than light.
package func smallShapes(_ width: Int, _ height: Int) -> Canvas {
    Canvas(width, height) { x, y in
        let shade = 60 * sin(Double(x) / 7) + 40 * cos(Double(y) / 5 + Double(x) / 31)
        let patch = (x / 23 + y / 17) % 3
        return [
            128 + shade + (patch == 0 ? 50 : 0), 120 - shade / 2, 128 - shade + (patch == 1 ? 60 : 0),
        ]
        .map(level)
    }
}

/// Slanting stripes of one luma, by BT.601, each so many pixels wide.
package func stripes(_ width: Int, _ height: Int, wave: Double) -> Canvas {
    Canvas(width, height) { x, y in
        let shade = sin(2 * .pi * (Double(x) + Double(y) / 3) / wave)
        return [128 + 80 * shade, 128 - 40.7 * shade, 128.0].map { UInt8($0.rounded()) }
    }
}

/// A zone plate in grey: rings around (centre, centre), each at twice `scale` more of the radius' square than the one before.
package func zonePlate(_ side: Int, around centre: Double, scale: Double) -> Canvas {
    Canvas(side, side) { x, y in
        let (x, y) = (Double(x) - centre, Double(y) - centre)
        return [UInt8((127.5 + 110 * cos((x * x + y * y) * .pi / scale)).rounded())]
    }
}

/// A disc of one colour on another, somewhere.
package func spot(
    _ size: (Int, Int), at: (Double, Double), radius: Double, _ inside: [UInt8], _ outside: [UInt8]
) -> Canvas {
    Canvas(size.0, size.1) { x, y in
        let (u, v) = (Double(x) - at.0, Double(y) - at.1)
        return u * u + v * v < radius * radius ? inside : outside
    }
}

private func level(_ value: Double) -> UInt8 { UInt8(min(max(value, 0), 255)) }
