// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite("A drawing's numbers are text, and a text may say anything")
struct DrawingSizeTests {
    private static func header(_ attributes: String) throws -> ImageHeader {
        try ImageHeader.parse(Array("<svg \(attributes) xmlns=\"http://www.w3.org/2000/svg\"></svg>".utf8))
    }

    /// Nil for a drawing without a pixel.
    private static func drawable(_ attributes: String) throws -> ImageHeader? {
        do { return try header(attributes) } catch ImageHeaderError.damaged { return nil }
    }

    private static let odd = [
        "0", "-0", "-1", "1", "10", "1e-323", "1e-400", "1e308", "1.8e308", "1e309", "-1e309", "inf", "-inf",
        "+inf",
        "infinity", "nan", "-nan", "NaN(0x1)", "0x1p1023", "0x1p1024", "9223372036854775808",
        "18446744073709551616",
        "2147483647", "2147483648", "", "e", ".", "\u{0663}",
    ]

    @Test func `no two numbers together trap, whatever each of them is`() throws {
        let sides = 0...Int(Int32.max)
        for first in Self.odd {
            for second in Self.odd {
                for attributes in [
                    "viewBox=\"0 0 \(first) \(second)\"", "viewBox=\"0 0 \(first) \(second)\" width=\"10\"",
                    "viewBox=\"0 0 \(first) \(second)\" height=\"1e308in\"",
                    "width=\"\(first)\" height=\"\(second)\"",
                    "viewBox=\"0 0 \(first) \(first)\" width=\"\(second)pc\"",
                    "width=\"\(first)in\" height=\"\(second)cm\"",
                ] {
                    guard let header = try Self.drawable(attributes) else { continue }
                    #expect(sides.contains(header.width) && sides.contains(header.height), "\(attributes)")
                }
            }
        }
    }

    @Test(arguments: [
        ("viewBox=\"0 0 inf inf\" width=\"10\"", 0, 0), ("width=\"1e308in\" height=\"5\"", 2_147_483_647, 5),
        ("viewBox=\"0 0 1e308 1e-300\" height=\"7\"", 2_147_483_647, 7),
        ("viewBox=\"0 0 300 200\" width=\"150\"", 150, 100), ("viewBox=\"0 0 3 2\"", 3, 2),
        ("width=\"1in\" height=\"2.54cm\"", 72, 72), ("width=\"1e10\" height=\"0.5\"", 2_147_483_647, 1),
    ])
    func `what is infinite is not said, and what is long is cut`(attributes: String, width: Int, height: Int)
        throws
    {
        let header = try Self.header(attributes)
        #expect((header.width, header.height) == (width, height), "\(attributes)")
    }

    @Test(arguments: [
        ("", "", true), ("width='30'", "", true), ("height='30'", "", true),
        ("width='100%' height='100%'", "", true), ("style='width:auto;height:9px'", "", true),
        ("width='30' height='20'", "", false), ("style='width:3px;height:2px'", "", false),
        ("viewBox='0 0 3 2'", "", false), ("viewBox='0 0 0 0'", "", false),
        ("", "<style>svg{width:3px;height:2px}</style>", false), ("", "<style>g{fill:red}</style>", true),
    ])
    func `a drawing is fixed that tells neither a view nor both sides`(
        attributes: String, content: String, isFixed: Bool
    ) throws {
        let file = HeaderBytes(Array("<svg \(attributes)>\(content)</svg>".utf8))
        #expect(SVGScale.isFixed(file) == isFixed, "\(attributes) \(content)")
        // A fixed drawing tells no size, and its price covers the largest size that is scaled.
        let own = SVGScale.ownPixels(try ImageHeader.parse(file))
        #expect(!isFixed || own == SVGScale.mostPixels, "\(attributes) \(content)")
    }

    /// As libvips, which draws none of these.
    @Test(arguments: [
        "width='0' height='40'", "width='50' height='0'", "width='0' height='0'", "width='-0' height='0em'",
        "width='0' height='0' viewBox='0 0 50 40'", "width='0' height='40' viewBox='0 0 50 40'",
        "style='width:0;height:4px'", "style='width:0' width='5' height='5'", "width='0.49' height='9'",
        "width='10' viewBox='0 0 1000 1'", "height='0.3' viewBox='0 0 100 1'", "viewBox='0 0 0.4 5'",
    ])
    func `a drawing with a side of no pixel is damaged`(attributes: String) throws {
        #expect(throws: ImageHeaderError.damaged) { try Self.header(attributes) }
    }

    /// As librsvg, which draws all of these.
    @Test(arguments: [
        ("width='0'", 0, 0), ("width='0' height='50%'", 0, 0), ("width='0' viewBox='0 0 50 40'", 50, 40),
        ("width='0' height='50%' viewBox='0 0 20 10'", 20, 10), ("width='-5' height='40'", 0, 0),
        ("viewBox='0 0 0 0'", 0, 0), ("width='0.5' height='0.5'", 1, 1),
    ])
    func `a zero beside no length counts as missing`(attributes: String, width: Int, height: Int) throws {
        let header = try Self.header(attributes)
        #expect((header.width, header.height) == (width, height), "\(attributes)")
    }

    @Test func `room for a drawing that is fixed is bounded by pixels and across`() {
        for (width, height, hasRoom) in [
            (2_000, 2_000, true), (2_000, 2_001, false), (3_000, 1_333, true), (3_001, 1, false),
            (1, 4_000_000, true), (Int.max, Int.max, false),
        ] {
            #expect(SVGScale.hasRoom(for: PixelSize(width: width, height: height)) == hasRoom, "\(width)")
        }
        for (format, side, pixels) in [
            (ImageFormat.svg, 0, 4_000_000), (.svg, 10, 0), (.pdf, 0, 0), (.png, 10, 0),
        ] {
            let header = ImageHeader(format: format, width: side, height: side)
            #expect(SVGScale.ownPixels(header) == pixels, "\(format)")
        }
    }

    @Test func `pixels that no number holds are the greatest number`() {
        #expect(PixelSize(width: 1 << 40, height: 1 << 40).area == .max)
        #expect(PixelSize(width: 640, height: 480).area == 307_200)
        #expect(Int(saturatingProduct: 131_070 * 16_384, 16_384, 5_000_000) == .max)
        #expect(Int(saturatingProduct: 1 << 40, 1 << 40, 0) == 0)
    }
}
