// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import Imaging
import PixelReference
import Testing

/// Every level once, in three different bands, and alpha that is neither 0 nor 255.
private let ramp = Canvas(256, 1) { x, _ in [UInt8(x), UInt8(255 - x), UInt8(x / 2), 200] }

/// Checks each colour level against a formula; alpha has to stay.
private func expect(_ query: String, within tolerance: Int = 1, _ formula: (Double) -> Double) throws {
    let made = try picture(ramp, query)
    for x in 0..<256 {
        let expected = ramp[x, 0].prefix(3).map { UInt8(min(max(formula(Double($0)), 0), 255).rounded()) }
        #expect(distance(made[x, 0], expected + [200]) <= tolerance, "\(query) at \(ramp[x, 0])")
    }
}

@Suite struct LevelTests {
    @Test(arguments: [-100, -30, -1, 1, 30, 100])
    func `brightness adds hundredths of the full scale to every colour, and nothing to alpha`(
        value: Int
    ) throws {
        try expect("bri=\(value)") { $0 + 2.55 * Double(value) }
    }

    @Test(arguments: [0.1, 0.5, 1.5, 2.2, 3, 10])
    func `gamma raises every colour to its power`(value: Double) throws {
        try expect("gam=\(value)") { 255 * pow($0 / 255, value) }
    }

    @Test(arguments: [10, 30, 100])
    func `contrast follows a sigmoid around the middle`(value: Int) throws {
        let slope = 0.3 * Double(value)
        func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(slope * (0.5 - x))) }
        try expect("con=\(value)") {
            255 * (sigmoid($0 / 255) - sigmoid(0)) / (sigmoid(1) - sigmoid(0))
        }
    }

    @Test(arguments: [10, 40])
    func `less contrast is the way back from more`(value: Int) throws {
        let more = try picture(ramp, "con=\(value)")
        let back = try picture(more, "con=-\(value)")
        // Levels that more contrast has merged cannot be separated again; only those in the steep middle can.
        for x in 96..<160 { #expect(distance(back[x, 0], ramp[x, 0]) <= 3) }
    }

    @Test func `negating is a mirror, and twice is nothing`() throws {
        try expect("filt=negate", within: 0) { 255 - $0 }
        #expect(try picture(picture(ramp, "filt=negate"), "filt=negate") == ramp)
    }

    @Test func `levels are changed in the order brightness, contrast, gamma, filter`() throws {
        let once = try picture(ramp, "filt=negate&gam=2&con=20&bri=10")
        let steps = try ["bri=10", "con=20", "gam=2", "filt=negate"].reduce(ramp) { try picture($0, $1) }
        #expect(once == steps)
    }

    @Test func `a grey picture stays grey`() throws {
        let grey = Canvas(4, 4, of: [100, 128])
        #expect(try picture(grey, "bri=20")[0, 0] == [151, 128])
        #expect(try picture(grey, "filt=negate")[0, 0] == [155, 128])
    }
}
