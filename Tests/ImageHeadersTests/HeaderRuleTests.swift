// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

@Suite("What a header may claim, and what of it is kept")
struct HeaderRuleTests {
    private func change(_ change: (inout ImageHeader) -> Void) -> ImageHeader {
        var header = ImageHeader(format: .png, width: 640, height: 480)
        change(&header)
        return header
    }

    @Test func `a header that some file can have is possible`() {
        for possible in [
            change { _ in }, change { $0.width = 1 }, change { $0.height = 2_147_483_647 },
            change { $0.pages = 2_147_483_647 }, change { $0.orientation = 8 },
            ImageHeader(format: .svg, width: 0, height: 0), ImageHeader(format: .pdf, width: 0, height: 0),
            ImageHeader(format: .svg, width: 1, height: 1),
        ] { #expect(possible.isPossible, "\(possible)") }
        for impossible in [
            change { $0.width = 0 }, change { $0.height = 0 }, change { $0.width = -1 },
            change { $0.height = 2_147_483_648 }, change { $0.width = 2_147_483_648 },
            change { $0.pages = 0 },
            change { $0.pages = 2_147_483_648 }, change { $0.orientation = 0 }, change { $0.orientation = 9 },
            change { ($0.width, $0.height) = (0, 0) }, ImageHeader(format: .jxl, width: 0, height: 0),
            ImageHeader(format: .svg, width: 0, height: 1), ImageHeader(format: .pdf, width: 1, height: 0),
        ] { #expect(!impossible.isPossible, "\(impossible)") }
    }

    /// The bits are stored in the cache's files.
    @Test func `what is true of it has one bit each, which stays`() {
        #expect(ImageHeader.Traits.alpha.rawValue == 1)
        #expect(ImageHeader.Traits.progressive.rawValue == 2)
        #expect(ImageHeader.Traits.undecodable.rawValue == 4)
        #expect(ImageHeader.Traits.deep.rawValue == 8)
        #expect(ImageHeader.Traits.rightless.rawValue == 16)
        #expect(ImageHeader.Traits.surplus.rawValue == 224)
        #expect(ImageHeader.Traits.largest.rawValue == 0xFF00)
        #expect(ImageHeader.Traits.all.rawValue == 0xFFFF)
        for raw in (UInt16(0)...255).flatMap({ [$0, $0 | 0x8100] }) {
            var header = ImageHeader(format: .tiff, width: 1, height: 1, hasAlpha: raw & 1 == 0)
            header.traits = ImageHeader.Traits(rawValue: raw)
            #expect(header.hasAlpha == (raw & 1 != 0))
            #expect(header.isProgressive == (raw & 2 != 0))
            #expect(header.isDecodable == (raw & 4 == 0))
            #expect(header.isDeep == (raw & 8 != 0))
            #expect(header.mayNameRights == (raw & 16 == 0))
            let steps: [Int] = [1, 2, 4, 16, 128, 2_048, 65_536, .max]
            let step = steps[Int(raw >> 5 & 7)]
            let exact = raw > 255 && step > 1 ? min(step, 9 << 16) : step
            #expect(header.decodedPixels == exact)
            #expect(header.largestPage == (raw > 255 ? 9 << 16 : 1))
            #expect(header.traits.rawValue == raw)
        }
        for format in [ImageFormat.jpeg, .tiff] {
            #expect(ImageHeader(format: format, width: 1, height: 1).traits.isEmpty)
        }
    }

    @Test(arguments: [
        (0, 0, 0), (3, 7, 21), (1, 1, 1), (1 << 31, 1 << 31, 1 << 62), (1 << 32, 1 << 31, Int.max),
    ])
    func `an area is a product, or the greatest number`(width: Int, height: Int, area: Int) {
        let size = PixelSize(width: width, height: height)
        #expect(size.area == area)
        #expect(size.lyingDown.area == area)
        #expect(size.lyingDown == PixelSize(width: height, height: width))
    }

    // MARK: Formats

    @Test func `each format has a media type, a name and an ending`() throws {
        let rows: [(ImageFormat, String, String, String)] = [
            (.jpeg, "image/jpeg", "jpeg", "jpg"), (.png, "image/png", "png", "png"),
            (.webp, "image/webp", "webp", "webp"), (.gif, "image/gif", "gif", "gif"),
            (.avif, "image/avif", "avif", "avif"), (.heic, "image/heic", "heic", "heic"),
            (.tiff, "image/tiff", "tiff", "tiff"), (.svg, "image/svg+xml", "svg", "svg"),
            (.jxl, "image/jxl", "jxl", "jxl"), (.bmp, "image/bmp", "bmp", "bmp"),
            (.ico, "image/x-icon", "ico", "ico"), (.pdf, "application/pdf", "pdf", "pdf"),
        ]
        #expect(rows.map(\.0) == ImageFormat.allCases)
        for (format, mediaType, name, ending) in rows {
            #expect(format.mediaType == mediaType)
            #expect(format.name == name)
            #expect(format.fileExtension == ending)
            #expect(ImageFormat(name: name) == format)
        }
        for name in ["", "jpg", "JPEG", "tif", "svg+xml"] { #expect(ImageFormat(name: name) == nil) }
    }

    @Test func `what is written can be read, and what is read unasked is known to be careful`() {
        #expect(ImageFormat.readable == Set(ImageFormat.allCases))
        #expect(Set(ImageFormat.writable).isSubset(of: ImageFormat.readable))
        #expect(Set(ImageFormat.trusted).isDisjoint(with: [.svg, .jxl, .pdf]))
        #expect(ImageFormat.allCases.filter(\.canAnimate) == [.webp, .gif])
        let sides = ImageFormat.allCases.map { ($0, $0.longestSide) }
        for (format, side) in sides {
            let expected = [ImageFormat.jpeg: 65_500, .webp: 16_383, .avif: 16_384][format] ?? 65_535
            #expect(side == expected, "\(format)")
        }
    }
}
