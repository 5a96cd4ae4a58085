// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

@Suite("The size of a drawing is a number of pixels or none, whatever its numbers are") struct SVGHeaderTests
{
    private func size(_ attributes: String) throws -> PixelSize {
        let header = try ImageHeader.parse(Array("<svg \(attributes)></svg>".utf8))
        return PixelSize(width: header.width, height: header.height)
    }

    @Test(arguments: [
        ("width=\"30\" height=\"20\"", 30, 20), ("viewBox=\"0 0 30 20\"", 30, 20),
        ("viewBox=\"0,0,30,20\" width=\"15\"", 15, 10), ("viewBox=\"0 0 30 20\" height=\"10\"", 15, 10),
        ("width=\"1in\" height=\"1pc\"", 72, 12), ("width=\".5\" height=\".5\"", 1, 1),
    ])
    func `sides come from width and height, else from the view box`(
        attributes: String, width: Int, height: Int
    ) throws {
        #expect(try size(attributes) == PixelSize(width: width, height: height))
    }

    private static let most = ImageHeader.longestSide

    @Test(arguments: [
        ("width=\"1e308in\" height=\"1e308in\"", most, most), ("width=\"1e99\" height=\"1\"", most, 1),
        ("viewBox=\"0 0 1e308 1e-308\" width=\"1e308in\"", most, most),
        ("viewBox=\"0 0 1e-308 1e308\" width=\"1\"", 1, most),
        ("viewBox=\"0 0 1e308 1e308\"", most, most),
    ])
    func `what is beyond any picture is as large as can be said`(
        attributes: String, width: Int, height: Int
    ) throws {
        #expect(try size(attributes) == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        "viewBox=\"0 0 inf inf\" width=\"10\"", "viewBox=\"0 0 inf inf\" height=\"10\"",
        "viewBox=\"0 0 inf inf\"",
        "viewBox=\"0 0 nan nan\" width=\"10\"", "viewBox=\"0 0 infinity 1\" height=\"10\"",
        "viewBox=\"0 0 1e309 1e309\" width=\"10\"", "viewBox=\"0 0 -0 -0\" width=\"10\"",
        "viewBox=\"0 0 0 0\" width=\"10\"", "viewBox=\"nan inf 1 1\" width=\"10\"",
        "viewBox=\"inf inf\" width=\"1\"",
        "viewBox=\"0 0 10 10 x\"", "width=\"inf\" height=\"nan\"", "width=\"-1\" height=\"0x1p-1074\"",
        "width=\"1e309\" height=\"1e309\"", "width=\"\" height=\"e\"",
        "width=\"100%\" height=\"100%\"",
    ])
    func `what is no number says nothing`(attributes: String) throws {
        #expect(try size(attributes) == PixelSize(width: 0, height: 0))
    }

    @Test func `any four numbers and two lengths are taken`() throws {
        let numbers = [
            "inf", "-inf", "nan", "1e309", "-1e309", "1e308", "1e-308", "5e-324", "0", "-0", "2147483647",
            "2147483648", "9223372036854775807", "9223372036854775808", "1", "0x7fffffffffffffff",
        ]
        let units = ["", "px", "in", "mm", "q", "em"]
        for across in numbers {
            for down in numbers {
                for unit in units {
                    let box = "viewBox=\"0 0 \(across) \(down)\""
                    for attributes in [
                        box, "\(box) width=\"\(across)\(unit)\"", "\(box) height=\"\(down)\(unit)\"",
                        "width=\"\(across)\(unit)\" height=\"\(down)\(unit)\"",
                    ] {
                        let bytes = Array("<svg \(attributes)/>".utf8)
                        do {
                            #expect(try ImageHeader.parse(bytes).isPossible)
                        } catch ImageHeaderError.damaged {
                            // A side has no pixel.
                        }
                    }
                }
            }
        }
    }
}
