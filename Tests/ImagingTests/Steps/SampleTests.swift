// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

@Suite("Colours are taken from the picture, and places in pixels of it")
struct SampleTests {
    /// 40 by 20: a left half and a right half, of one colour each.
    private static let halves = Canvas(
        width: 40, height: 20, bands: 3,
        samples: (0..<800).flatMap { $0 % 40 < 20 ? [200, 100, 0] : [100, 0, 50] as [UInt8] })

    @Test(arguments: [
        ("average", [150, 50, 25]), ("top-left", [200, 100, 0]), ("bottom-right", [100, 0, 50]),
    ])
    func `bars and what is under a picture have its own colour`(word: String, colour: [Int]) throws {
        let made = try picture(Self.halves, "w=40&h=40&fit=contain&cbg=\(word)")
        #expect(made.size == PixelSize(width: 40, height: 40) && made.bands == 3)
        for (x, y) in [(0, 0), (39, 9), (0, 30), (39, 39)] {
            #expect(zip(made[x, y], colour).allSatisfy { abs(Int($0) - $1) <= 1 }, "\(made[x, y])")
        }
        #expect(made[5, 15] == [200, 100, 0])
        let clear = try picture(
            Canvas(
                width: 40, height: 20, bands: 4,
                samples: (0..<800).flatMap { place -> [UInt8] in
                    if place % 40 == 20 { return [0, 0, 0, 0] }
                    return place % 40 < 20 ? [200, 100, 0, 255] : [100, 0, 50, 255]
                }), "bg=\(word)")
        #expect(clear.bands == 3)
        #expect(zip(clear[20, 3], colour).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(clear[20, 3])")
    }

    @Test func `a border is that of the corner that is named`() throws {
        // Blue on the left, and white elsewhere.
        let source = Canvas(
            width: 40, height: 20, bands: 3,
            samples: (0..<800).flatMap { place -> [UInt8] in
                place % 40 < 5 ? [0, 0, 255] : [255, 255, 255]
            })
        #expect(try picture(source, "trim=10").size == PixelSize(width: 35, height: 20))
        let made = try picture(source, "trim=10&tbg=bottom-right")
        #expect(made.size == PixelSize(width: 5, height: 20))
        #expect(made[0, 0] == [0, 0, 255] && made[4, 19] == [0, 0, 255])
    }

    @Test func `each channel gains its own`() throws {
        #expect(try picture(Canvas(9, 9, of: [100, 100, 100]), "bri=20,-20,0")[4, 4] == [151, 49, 100])
        #expect(try picture(Canvas(9, 9, of: [100, 77]), "bri=20,-20,0")[4, 4] == [151, 49, 100, 77])
    }

    @Test(arguments: [("fpx=0px", 0), ("fpx=150px", 125), ("fpx=212.5px", 188), ("fpx=999px", 350)])
    func `a point in pixels of the original is kept`(point: String, left: Int) throws {
        let source = gradient(400, 50)
        let made = try picture(source, "w=50&h=50&fit=cover&a=focal&\(point)")
        for x in [0, 25, 49] { #expect(made[x, 20] == source[left + x, 20]) }
        // The point refers to the part that is cut out first.
        let cut = try picture(source, "cx=100&precrop&w=50&h=50&fit=cover&a=focal&fpx=150px")
        #expect(cut[0, 20] == source[225, 20])
    }

    @Test(arguments: [
        (400, 300, "w=150&h=200&turnbox", 200, 150), (300, 400, "w=200&h=150&turnbox", 150, 200),
        (400, 300, "w=200&h=150&turnbox", 200, 150), (300, 300, "w=200&h=150&turnbox", 150, 150),
        (400, 300, "w=150&h=200&turnbox&fit=outside", 200, 150),
        (400, 300, "w=100&h=200&turnbox&fit=fill", 200, 100),
        (400, 300, "w=100&h=200&turnbox&fit=cover", 200, 100),
    ])
    func `a box lies as the picture does`(
        across: Int, down: Int, options: String, width: Int, height: Int
    ) throws {
        let made = try picture(gradient(across, down), options)
        #expect(made.size == PixelSize(width: width, height: height))
    }

    @Test func `corners are those of ellipses`() throws {
        let made = try picture(Canvas(120, 80, of: [200, 100, 50]), "radius=60/20")
        // Points on (1 − x / 60)² + (1 − y / 20)² = 1.
        for (x, y, alpha) in [(0, 19, 200...255), (59, 0, 200...255), (12, 6, 0...255)] {
            #expect(alpha.contains(Int(made[x, y][3])), "\(x), \(y): \(made[x, y])")
        }
        #expect(made[10, 5][3] == 0 && made[20, 6][3] == 255 && made[0, 25][3] == 255)
        let cut = (0..<9_600).reduce(0) { $0 + 255 - Int(made[$1 % 120, $1 / 120][3]) }
        // Four corners of 60 by 20, without the quarters of an ellipse.
        #expect(abs(Double(cut) / 255 - 4 * 1_200 * (1 - Double.pi / 4)) < 6)
    }

    @Test(arguments: [("wms=0.5&wmh=0.1", 20, 10), ("wms=0.1&wmh=0.9", 10, 5), ("wmh=0.5", 100, 50)])
    func `a watermark lies within both ratios`(options: String, width: Int, height: Int) throws {
        let canvas = try picture(
            Canvas(100, 100, of: [0, 0, 0]), "wm=a&wmp=top-left&\(options)",
            watermark: Canvas(20, 10, of: [255, 0, 0]))
        #expect((0..<100).count { canvas[$0, 0][0] > 127 } == width)
        #expect((0..<100).count { canvas[0, $0][0] > 127 } == height)
    }
}
