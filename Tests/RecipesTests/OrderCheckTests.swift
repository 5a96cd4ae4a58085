// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("What was not ordered is told from what was") struct OrderCheckTests {
    private func made(_ format: ImageFormat, _ width: Int, _ height: Int, pages: Int = 1, length: Int = 9)
        -> Rendered
    {
        Rendered(
            format: format, width: width, height: height, pages: pages, length: length, decoding: 0,
            encoding: 0)
    }

    private func isOrdered(
        _ made: Rendered, _ options: String, of header: ImageHeader, within pixels: Int = .max
    )
        throws -> Bool
    {
        try Recipe(canonical: options).mayBecome(made, of: header, within: pixels)
    }

    @Test func `an answer that differs in one thing is not what was ordered`() throws {
        let header = ImageHeader(format: .png, width: 120, height: 80)
        let recipe = try Recipe(canonical: "output=jpg&w=30")
        let made = Rendered(
            format: .jpeg, width: 30, height: 20, pages: 1, length: 9, decoding: 0, encoding: 0)
        #expect(recipe.mayBecome(made, of: header, within: 600))
        #expect(!recipe.mayBecome(made, of: header, within: 599))
        for change: (inout Rendered) -> Void in [
            { $0.format = .svg }, { $0.format = .png }, { $0.width = 33 }, { $0.height = 17 },
            { $0.width = 0 },
            { $0.height = 80 }, { $0.pages = 2 }, { $0.pages = 0 }, { $0.width = 65_501 },
            { $0.height = .max },
        ] {
            var other = made
            change(&other)
            #expect(!recipe.mayBecome(other, of: header, within: .max), "\(other)")
        }
    }

    @Test func `frames may be missing and are never more, and a still is a still`() throws {
        let header = ImageHeader(format: .gif, width: 10, height: 10, pages: 5)
        var made = Rendered(
            format: .webp, width: 10, height: 10, pages: 4, length: 9, decoding: 0, encoding: 0)
        let three = try Recipe(canonical: "output=webp&n=4")
        #expect(three.mayBecome(made, of: header, within: 1_000))
        made.pages = 5
        #expect(!three.mayBecome(made, of: header, within: 1_000))
        #expect(try Recipe(canonical: "output=webp&n=-1").mayBecome(made, of: header, within: 1_000))
        made.format = .png
        #expect(try !Recipe(canonical: "output=png&n=-1").mayBecome(made, of: header, within: 1_000))
    }

    @Test func `no format begins as another does`() {
        let beginnings: [(ImageFormat, [UInt8])] = [
            (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0]), (.png, [0x89] + Array("PNG\r\n\u{1A}\n".utf8)),
            (.gif, Array("GIF89a".utf8)), (.webp, Array("RIFF1234WEBP".utf8)),
            (.avif, [0, 0, 0, 0x20] + Array("ftypavif".utf8)), (.tiff, Array("II*\0".utf8)),
            (.jxl, [0xFF, 0x0A]),
        ]
        for (format, start) in beginnings {
            for other in ImageFormat.allCases {
                #expect(other.begins(start) == (other == format), "\(other)")
            }
            #expect(!format.begins([]) && !format.begins(Array(start.prefix(1))))
            #expect(!format.begins(Array("<svg xmlns=".utf8)))
        }
    }

    @Test func `a side may differ by two pixels, as angles are rounded on each side of the wire`() throws {
        let header = ImageHeader(format: .png, width: 120, height: 80)
        for off in -4...4 {
            let isNear = off.magnitude <= 2
            #expect(try isOrdered(made(.jpeg, 30 + off, 20), "output=jpg&w=30", of: header) == isNear)
            #expect(try isOrdered(made(.jpeg, 30, 20 + off), "output=jpg&w=30", of: header) == isNear)
        }
    }

    @Test func `the size is certain where decoders hold the file to its header, and nothing looks at pixels`()
        throws
    {
        let certain: [ImageFormat] = [.jpeg, .png, .webp, .bmp]
        for format in ImageFormat.allCases {
            let header = ImageHeader(format: format, width: 120, height: 80)
            let isOther = try isOrdered(made(.png, 60, 70), "output=png", of: header)
            #expect(isOther == !certain.contains(format), "\(format)")
        }
        let header = ImageHeader(format: .png, width: 120, height: 80)
        for (options, isCertain) in [
            ("output=png&trim=10", false), ("mask=circle&mtrim=1&output=png", false),
            ("mask=circle&output=png", true),
            // An ellipse touches its bounds.
            ("mask=ellipse&mtrim=1&output=png", true),
        ] {
            let isOther = try isOrdered(made(.png, 60, 70), options, of: header)
            #expect(isOther == !isCertain, "\(options)")
        }
    }

    @Test func `no side is longer than its format holds, whatever is certain`() throws {
        let header = ImageHeader(format: .gif, width: 9, height: 9)
        for (format, longest) in [(ImageFormat.jpeg, 65_500), (.webp, 16_383), (.png, 65_535)] {
            var recipe = Recipe()
            recipe.output = .format(format)
            for (side, isPossible) in [
                (1, true), (longest, true), (longest + 1, false), (0, false), (-1, false),
            ] {
                #expect(recipe.mayBecome(made(format, side, 1), of: header, within: .max) == isPossible)
                #expect(recipe.mayBecome(made(format, 1, side), of: header, within: .max) == isPossible)
            }
        }
    }

    @Test func `the pixels of all frames together are held against the limit`() throws {
        let header = ImageHeader(format: .gif, width: 10, height: 10, pages: 5)
        #expect(try isOrdered(made(.gif, 10, 10, pages: 5), "n=-1&output=gif", of: header, within: 500))
        #expect(try !isOrdered(made(.gif, 10, 10, pages: 5), "n=-1&output=gif", of: header, within: 499))
        #expect(try isOrdered(made(.gif, 10, 10, pages: 4), "n=-1&output=gif", of: header, within: 499))
    }

    @Test func `JSON about pixels is of the source's format and short`() throws {
        let header = ImageHeader(format: .webp, width: 10, height: 10)
        for (format, length, isOrdered) in [
            (ImageFormat.webp, 1_024, true), (.webp, 1, true), (.webp, 1_025, false), (.png, 9, false),
        ] {
            let answer = made(format, 1, 1, length: length)
            #expect(try self.isOrdered(answer, "output=json", of: header) == isOrdered)
        }
    }

    @Test(
        arguments: [
            (.gif, Array("GIF87a".utf8)), (.tiff, Array("MM\0*".utf8)), (.tiff, Array("II+\0".utf8)),
            (.tiff, Array("MM\0+".utf8)), (.jxl, [0, 0, 0, 0x0C] + Array("JXL \r\n".utf8) + [0x87, 0x0A]),
            (.jxl, [0xFF, 0x0A]), (.avif, [0, 0, 1, 0] + Array("ftypmif1".utf8)),
        ] as [(ImageFormat, [UInt8])])
    func `a format may begin in several ways`(format: ImageFormat, start: [UInt8]) {
        for other in ImageFormat.allCases { #expect(other.begins(start) == (other == format), "\(other)") }
        for index in start.indices where index < 4 && format != .avif {
            var changed = start
            changed[index] ^= 0x40
            #expect(!format.begins(changed), "byte \(index)")
        }
        #expect(start.count <= ImageFormat.longestBeginning)
    }

    @Test(arguments: [
        "GIF88a", "RIFF1234WAVE", "WEBPRIFF", "JXL \r\n", "\0\0\0\u{0C}JXR ", "ftypavif", "II\0*", "MM*\0",
    ])
    func `what only looks like a beginning is none`(text: String) {
        for format in ImageFormat.allCases { #expect(!format.begins(Array(text.utf8)), "\(format)") }
    }
}
