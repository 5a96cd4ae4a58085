// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private let photo = Canvas(120, 80, of: [200, 100, 50])

@Suite("Padding lies around the picture, and corners are cut off it")
struct EdgeTests {
    private func area(_ radii: Clockwise, _ width: Int, _ height: Int) -> Double {
        let size = PixelSize(width: width, height: height)
        return Coverage(outline: Outline(rounded: Radii(radii), in: size), size: size).rendered().reduce(0) {
            $0 + Double($1) / 255
        }
    }

    // MARK: Padding

    @Test(arguments: [
        ("pad=7", 134, 94, 7, 7), ("pad=3,20", 160, 86, 20, 3), ("pad=1,2,3", 124, 84, 2, 1),
        ("pad=1,2,3,4", 126, 84, 4, 1), ("pad=0,0,0,9", 129, 80, 9, 0),
    ])
    func `padding is added to each side, clockwise from the top`(
        options: String, width: Int, height: Int, x: Int, y: Int
    ) throws {
        let source = gradient(120, 80)
        let made = try picture(source, options + "&pbg=0f0")
        #expect(made.size == PixelSize(width: width, height: height))
        for row in 0..<height {
            for column in 0..<width {
                let isInside = (x..<x + 120).contains(column) && (y..<y + 80).contains(row)
                #expect(made[column, row] == (isInside ? source[column - x, row - y] : [0, 255, 0]))
            }
        }
    }

    @Test func `padding is transparent unless it has a colour, and a background lies under it`() throws {
        let clear = try picture(photo, "pad=5")
        #expect(clear[0, 0] == [0, 0, 0, 0] && clear[5, 5] == [200, 100, 50, 255])
        let laid = try picture(photo, "pad=5&bg=00f")
        #expect(laid.bands == 3 && laid[0, 0] == [0, 0, 255] && laid[5, 5] == [200, 100, 50])
        let half = try picture(photo, "pad=5&pbg=80ff0000")
        #expect(half[0, 0] == [255, 0, 0, 128])
        #expect(try picture(Canvas(9, 9, of: [80]), "pad=2&pbg=fff").bands == 1)
        let coloured = try picture(Canvas(9, 9, of: [80, 100]), "pad=2&pbg=f00")
        #expect(coloured[0, 0] == [255, 0, 0, 255] && coloured[4, 4] == [80, 80, 80, 100])
    }

    @Test func `padding comes behind turns and effects, and before a shape`() throws {
        let turned = try picture(photo, "ro=90&pad=10,0,0,0&filt=negate&pbg=fff")
        #expect(turned.size == PixelSize(width: 80, height: 130))
        #expect(turned[40, 3] == [255, 255, 255] && turned[40, 60] == [55, 155, 205])
        let masked = try picture(photo, "pad=20,0&pbg=fff&mask=circle")
        #expect(masked[60, 1] == [255, 255, 255, 255] && masked[0, 0][3] == 0)
    }

    @Test func `padding is of the resized picture, times the pixel ratio`() throws {
        #expect(try picture(photo, "w=60&pad=10").size == PixelSize(width: 80, height: 60))
        #expect(try picture(photo, "w=30&dpr=2&pad=5").size == PixelSize(width: 80, height: 60))
    }

    @Test func `padding that no format holds is refused`() throws {
        let recipe = try Recipe(canonical: "output=webp&pad=0,8200")
        let failure = try TestRenderer.failure(PNGFile.write(photo), recipe)
        guard case .outputTooLarge(.side(16_383))? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
    }

    // MARK: Corners

    @Test(arguments: [
        Clockwise(10), Clockwise(40), Clockwise(20, 0, 0, 0), Clockwise(0, 20, 30, 40), Clockwise(1),
    ])
    func `what is cut off is what lies outside of the circles`(radii: Clockwise) {
        // Each corner loses a quarter of the difference between a square and its circle.
        let squares = [radii.first, radii.second, radii.third, radii.fourth].reduce(0) { $0 + $1 * $1 }
        let cut = (1 - Double.pi / 4) * Double(squares)
        #expect(abs(120 * 80 - area(radii, 120, 80) - cut) < 0.3 + cut * 0.002)
    }

    @Test func `radii too large for the picture shrink together`() {
        // Radii are limited by the room for two of them beside one another: an upright side is 80.
        #expect(area(Clockwise(16_384), 120, 80) == area(Clockwise(40), 120, 80))
        #expect(area(Clockwise(300, 0, 0, 0), 120, 80) == area(Clockwise(80, 0, 0, 0), 120, 80))
        #expect(area(Clockwise(60, 20, 60, 20), 60, 60) == area(Clockwise(45, 15, 45, 15), 60, 60))
    }

    @Test func `each corner has its own radius`() throws {
        let made = try picture(photo, "radius=0,10,20,40")
        #expect(made.size == photo.size)
        #expect(made[0, 0] == [200, 100, 50, 255])
        for (x, y) in [(119, 0), (119, 79), (0, 79)] { #expect(made[x, y] == [0, 0, 0, 0]) }
        #expect(made[109, 0][3] > 200 && made[100, 0][3] == 255)
        #expect(made[8, 79][3] == 0 && made[99, 79][3] > 200 && made[0, 30][3] == 255)
        #expect(fringe(made, [200, 100, 50]) <= 1)
    }

    @Test func `a rounded picture is the same from every side`() throws {
        let made = try picture(photo, "radius=33")
        for y in 0..<80 {
            for x in 0..<120 {
                #expect(abs(Int(made[x, y][3]) - Int(made[119 - x, y][3])) <= 1)
                #expect(abs(Int(made[x, y][3]) - Int(made[x, 79 - y][3])) <= 1)
            }
        }
    }

    @Test func `corners are filled by a background, and lie inside of a padding`() throws {
        let laid = try picture(photo, "radius=20&bg=0000ff")
        #expect(laid.bands == 3 && laid[0, 0] == [0, 0, 255])
        let padded = try picture(photo, "radius=20&pad=10&pbg=fff")
        #expect(padded[0, 0] == [255, 255, 255, 255] && padded[10, 10][3] == 0)
        #expect(padded[70, 50] == [200, 100, 50, 255])
        #expect(try picture(Canvas(40, 40, of: [9, 200, 30, 100]), "radius=5")[20, 20] == [9, 200, 30, 100])
        for (width, height) in [(1, 1), (1, 9), (2, 1)] {
            #expect(
                try picture(Canvas(width, height, of: [1, 2, 3]), "radius=7").size.area == width * height)
        }
    }

    // MARK: Bars

    @Test func `bars may show the picture itself, blurred and as large as the canvas`() throws {
        let source = gradient(120, 80)
        let made = try picture(source, "w=120&h=200&fit=contain&cblur=6")
        #expect(made.size == PixelSize(width: 120, height: 200) && made.bands == 3)
        for y in 60..<140 { for x in 0..<120 { #expect(made[x, y] == source[x, y - 60]) } }
        // The middle 48 columns of 80 rows, enlarged two and a half times: red from 0.3 to 0.7, and all of the
        // green range.
        #expect(distance(made[2, 5], [79, 6, 128]) <= 16 && distance(made[117, 195], [176, 249, 128]) <= 16)
        #expect(distance(made[60, 20], [127, 26, 128]) <= 8)
        #expect(try picture(Canvas(9, 9, of: [80]), "w=20&h=9&fit=contain&cblur=1")[1, 4] == [80, 80, 80])
    }

    @Test func `blurred bars of a clear picture are as clear`() throws {
        let made = try picture(Canvas(40, 40, of: [200, 100, 50, 128]), "w=80&h=40&fit=contain&cblur")
        #expect(distance(made[3, 20], [200, 100, 50, 128]) <= 2)
        // Combined, the effects are less clear.
        #expect(made[40, 20][3] > 180)
        let cut = try picture(photo, "w=60&h=60&fit=contain&cblur=9&pad=2&pbg=0f0")
        #expect(cut.size == PixelSize(width: 64, height: 64) && cut[0, 0] == [0, 255, 0])
        #expect(cut[30, 4] == [200, 100, 50] && cut[30, 32] == [200, 100, 50])
    }

    // MARK: Squares

    @Test(arguments: [1, 2, 7, 16, 79, 1_000])
    func `each square is the mean of its pixels`(side: Int) throws {
        let source = gradient(120, 80)
        let made = try picture(source, "pixelate=\(side)")
        #expect(made.size == source.size)
        for top in stride(from: 0, to: 80, by: side) {
            for left in stride(from: 0, to: 120, by: side) {
                var (sums, count) = ([0, 0, 0], 0)
                for y in top..<min(80, top + side) {
                    for x in left..<min(120, left + side) {
                        for band in 0..<3 { sums[band] += Int(source[x, y][band]) }
                        count += 1
                    }
                }
                let mean = sums.map { UInt8(($0 + count / 2) / count) }
                #expect(made[left, top] == mean)
                #expect(made[min(119, left + side - 1), min(79, top + side - 1)] == mean)
            }
        }
    }

    @Test func `what is invisible gives a square no colour`() throws {
        let source = Canvas(8, 8) { x, _ in x < 4 ? [255, 0, 0, 255] : [0, 255, 0, 0] }
        let made = try picture(source, "pixelate=8")
        #expect(made[0, 0] == made[7, 7])
        #expect(distance(made[0, 0], [255, 0, 0, 128]) <= 2)
        #expect(try picture(Canvas(9, 9, of: [80, 100]), "pixelate=4")[8, 8][1] == 100)
    }
}
