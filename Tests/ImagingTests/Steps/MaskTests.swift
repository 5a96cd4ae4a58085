// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

private let photo = Canvas(120, 80, of: [200, 100, 50])

/// The covered area in pixels, with partly covered ones.
private func area(_ shape: Mask.Shape, _ width: Int, _ height: Int) -> Double {
    let size = PixelSize(width: width, height: height)
    return Coverage(outline: Outline(shape, in: size), size: size).rendered().map { Double($0) / 255 }.reduce(
        0, +)
}

/// Areas in a picture of 120 × 80 by geometry; each shape is as large as its own box allows.
private let areas: [(Mask.Shape, Double)] = [
    (.circle, Double.pi * 1600),
    (.ellipse, Double.pi * 2400),
    // An equilateral triangle 80 pixels high.
    (.triangle, 3695.04), (.triangle180, 3695.04),
    (.square, 3200),
    // A regular hexagon that points up is twice as high as its side.
    (.hexagon, 4156.92),
]

@Suite struct MaskTests {
    @Test(arguments: areas)
    func `a shape covers what geometry says`(shape: Mask.Shape, expected: Double) {
        #expect(abs(area(shape, 120, 80) - expected) < expected * 0.002)
    }

    @Test func `shapes that point up cover what those that point down cover`() {
        #expect(abs(area(.pentagon, 90, 70) - area(.pentagon180, 90, 70)) < 1)
        #expect(abs(area(.triangle, 70, 90) - area(.triangle180, 70, 90)) < 1)
        // A pentagram has 0.4729 of the area of its pentagon.
        #expect(abs(area(.star, 200, 200) / area(.pentagon, 200, 200) - 0.472) < 0.01)
    }

    @Test(arguments: Mask.Shape.allCases)
    func `a shape lies in the middle, touches the edge, and is the same from both sides`(shape: Mask.Shape)
        throws
    {
        let masked = try picture(photo, "mask=\(shape.rawValue)")
        #expect(masked.size == photo.size)
        #expect(masked[60, 40] == [200, 100, 50, 255])
        for y in 0..<80 {
            for x in 0..<60 { #expect(abs(Int(masked[x, y][3]) - Int(masked[119 - x, y][3])) <= 2) }
        }
        #expect(masked[0, 0] == [0, 0, 0, 0] && masked[119, 79] == [0, 0, 0, 0])
        let rows = (0..<80).filter { y in (0..<120).contains { masked[$0, y][3] > 0 } }
        let columns = (0..<120).filter { x in (0..<80).contains { masked[x, $0][3] > 0 } }
        #expect(rows.count >= 79 || columns.count >= 119)
    }

    @Test func `each shape points where its name says`() throws {
        func width(_ query: String, row: Int) throws -> Int {
            let masked = try picture(photo, query)
            return (0..<120).count { masked[$0, row][3] > 127 }
        }
        for (up, down) in [("triangle", "triangle-180"), ("pentagon", "pentagon-180"), ("star", "heart")] {
            #expect(try width("mask=\(up)", row: 2) < width("mask=\(down)", row: 2))
            #expect(try width("mask=\(up)", row: 77) > width("mask=\(down)", row: 77))
        }
    }

    @Test func `an edge is as transparent as the shape leaves it`() throws {
        let masked = try picture(photo, "mask=circle")
        let edge = (0..<9600).map { masked[$0 % 120, $0 / 120] }.filter { $0[3] > 0 && $0[3] < 255 }
        #expect(edge.count > 100)
        #expect(fringe(masked, [200, 100, 50]) <= 1)
    }

    @Test func `what is outside has the background, opaque or not`() throws {
        let opaque = try picture(photo, "mask=circle&mbg=00f")
        #expect(opaque.bands == 3 && opaque[0, 0] == [0, 0, 255] && opaque[60, 40] == [200, 100, 50])
        let translucent = try picture(photo, "mask=circle&mbg=800000ff")
        #expect(translucent[0, 0] == [0, 0, 255, 128] && translucent[60, 40] == [200, 100, 50, 255])
        // The two shapes meet without a gap.
        for index in 0..<9600 { #expect(translucent[index % 120, index / 120][3] >= 127) }
    }

    @Test func `alpha inside remains`() throws {
        let masked = try picture(Canvas(40, 40, of: [9, 200, 30, 100]), "mask=circle")
        #expect(masked[20, 20] == [9, 200, 30, 100])
        #expect(try picture(Canvas(40, 40, of: [80, 100]), "mask=circle")[20, 20] == [80, 80, 80, 100])
    }

    @Test func `trimmed it is as large as the shape; an ellipse is as large as the picture`() throws {
        #expect(try picture(photo, "mask=circle&mtrim").size == PixelSize(width: 80, height: 80))
        #expect(try picture(photo, "mask=ellipse&mtrim").size == PixelSize(width: 120, height: 80))
        let triangle = try picture(photo, "mask=triangle&mtrim")
        #expect(triangle.size == PixelSize(width: 92, height: 80))
        #expect(triangle[46, 2][3] == 255 && triangle[1, 78][3] > 0)
    }

    @Test func `a mask of one pixel is one`() throws {
        for shape in Mask.Shape.allCases {
            let size = try picture(Canvas(1, 1, of: [1, 2, 3]), "mask=\(shape.rawValue)&mtrim").size
            #expect(size == PixelSize(width: 1, height: 1))
        }
    }
}
