// SPDX-License-Identifier: Apache-2.0

@testable import DecoderProtocol
import HTTPSemantics
import ImageHeaders
import Testing

@Suite("An inspector may lie about a picture, and about nothing else")
struct WireFindingTests {
    private let findings: [Finding] = [
        .notAnImage, .damaged, .unreadable,
        .header(
            ImageHeader(
                format: .gif, width: 1 << 31 - 1, height: 1, pages: 77, orientation: 8, hasAlpha: true,
                isDecodable: false, isProgressive: true)),
        .header(ImageHeader(format: .svg, width: 0, height: 0, hasAlpha: true)),
        .details(ImageDetails()),
        .unpacked(length: 0), .unpacked(length: .max), .notPacked, .tooLarge, .cannotWrite,
    ]

    private var fullDetails: ImageDetails {
        var details = ImageDetails()
        details.setProfile("Display P3")
        (details.space, details.depth, details.channels) = (.cmyk, .float, 255)
        (details.density, details.chromaSubsampling, details.isProgressive) = (1_000_000, "4:2:0:4", true)
        (details.paletteBits, details.loop) = (0, 65_536)
        details.delays = (0..<ImageDetails.mostDelays).map { ImageDetails.longestDelay - $0 }
        return details
    }

    @Test func `a question and its finding mean the same on the other side`() {
        let header = ImageHeader(format: .jxl, width: 0, height: 0)
        let longest = ImageHeader(format: .gif, width: 1 << 31 - 1, height: 1 << 31 - 1, pages: 1 << 31 - 1)
        for question in [
            InspectorQuestion.header, .details(header), .description, .unpack(.gzip, limit: 0),
            .unpack(.deflate, limit: .max), .page(-2), .page(-1), .page(0), .page(100_000),
        ] {
            let asked = WireQuestion(id: 5, question: question, inputLength: 1 << 40)
            #expect(WireQuestion(asked.encoded) == asked)
            #expect(WireQuestion(asked.encoded + [0]) == nil)
        }
        for finding in findings + [.details(fullDetails), .description(longest, fullDetails)] {
            let found = WireFinding(id: .max, finding: finding)
            #expect(WireFinding(found.encoded) == found)
            #expect(WireFinding(found.encoded + [0]) == nil)
            #expect(found.encoded.count <= Wire.longestFinding)
        }
        let bytes = WireFinding(id: 1, finding: .details(ImageDetails())).encoded
        for count in 0..<bytes.count { #expect(WireFinding(Array(bytes.prefix(count))) == nil) }
    }

    @Test func `a finding that no parser could have made is none`() {
        var headers: [ImageHeader] = []
        for change: (inout ImageHeader) -> Void in [
            { $0.width = 0 }, { $0.height = 0 }, { $0.width = 1 << 31 }, { $0.height = .max },
            { $0.pages = 0 },
            { $0.pages = 1 << 31 }, { $0.orientation = 0 }, { $0.orientation = 9 },
            { ($0.width, $0.height) = (0, 0) },
        ] {
            var header = ImageHeader(format: .jpeg, width: 3, height: 2)
            change(&header)
            headers.append(header)
        }
        for header in headers {
            #expect(WireFinding(WireFinding(id: 1, finding: .header(header)).encoded) == nil)
            let description = Finding.description(header, ImageDetails())
            #expect(WireFinding(WireFinding(id: 1, finding: description).encoded) == nil)
        }
        for change: (inout ImageDetails) -> Void in [
            { $0.density = 1_000_001 }, { $0.loop = 65_537 }, { $0.paletteBits = 256 },
            { $0.chromaSubsampling = "<script>" }, { $0.delays = [1 << 24] },
        ] {
            var details = ImageDetails()
            change(&details)
            #expect(WireFinding(WireFinding(id: 1, finding: .details(details)).encoded) == nil)
            let described = Finding.description(ImageHeader(format: .png, width: 1, height: 1), details)
            #expect(WireFinding(WireFinding(id: 1, finding: described).encoded) == nil)
        }
        var details = ImageDetails()
        (details.hasProfile, details.profile) = (true, "a\u{1B}[31m" + String(repeating: "b", count: 99))
        let read = WireFinding(WireFinding(id: 1, finding: .details(details)).encoded)
        guard case .details(let said)? = read?.finding else {
            Issue.record("not read")
            return
        }
        #expect(said.profile == "a[31m" + String(repeating: "b", count: 59))
    }

    @Test func `details have their fields in the order of the message`() {
        var details = ImageDetails()
        (details.density, details.chromaSubsampling, details.isProgressive) = (300, "4:2:0", true)
        (details.paletteBits, details.loop, details.delays) = (8, 0, [0, 258])
        details.setProfile("P3")
        let bytes = WireFinding(id: 0, finding: .details(details)).encoded
        let space: [UInt8] = [4, 0] + Array("srgb".utf8) + [5, 0] + Array("uchar".utf8)
        let profile: [UInt8] = [1, 2, 0] + Array("P3".utf8)
        let rest: [UInt8] = [44, 1, 0, 0, 5, 0] + Array("4:2:0".utf8) + [1, 9, 0, 1, 0, 0, 0]
        let delays: [UInt8] = [2, 0, 0, 0, 0, 0, 2, 1, 0, 0]
        #expect(
            bytes == [Wire.version, 6, 0, 0, 0, 0, 0, 0, 0, 0, 2] + space + [3] + profile + rest + delays)
        #expect(WireFinding(bytes)?.finding == .details(details))
    }

    @Test func `a finding is a number, and what belongs to it`() {
        let codes: [(Finding, UInt8, [UInt8])] = [
            (.notAnImage, 3, []), (.damaged, 4, []), (.unreadable, 5, []),
            (.unpacked(length: 9), 6, [9, 0, 0, 0, 0, 0, 0, 0]), (.notPacked, 7, []), (.tooLarge, 8, []),
            (.cannotWrite, 9, []),
        ]
        for (finding, code, rest) in codes {
            let bytes: [UInt8] = [Wire.version, 6, 1, 0, 0, 0, 0, 0, 0, 0, code] + rest
            #expect(WireFinding(id: 1, finding: finding).encoded == bytes)
            #expect(WireFinding(bytes)?.finding == finding)
        }
        for code in [UInt8(0), 11, 255] {
            #expect(WireFinding([Wire.version, 6, 1, 0, 0, 0, 0, 0, 0, 0, code]) == nil)
        }
        let header = ImageHeader(format: .png, width: 2, height: 3)
        #expect(WireFinding(id: 1, finding: .header(header)).encoded[10] == 1)
        #expect(WireFinding(id: 1, finding: .description(header, ImageDetails())).encoded[10] == 10)
    }

    @Test func `numbers at the ends of their ranges are told, and beyond them are none`() {
        for (change, isPossible) in [
            ({ $0.density = 1 }, true), ({ $0.density = 1_000_000 }, true),
            ({ $0.density = 1_000_001 }, false),
            ({ $0.channels = 255 }, true),
            ({ $0.paletteBits = 0 }, true), ({ $0.paletteBits = 255 }, true),
            ({ $0.paletteBits = 256 }, false),
            ({ $0.loop = 0 }, true), ({ $0.loop = 65_536 }, true), ({ $0.loop = 65_537 }, false),
            ({ $0.delays = [0] }, true), ({ $0.delays = [16_777_215] }, true),
            ({ $0.delays = [16_777_216] }, false),
            ({ $0.delays = Array(repeating: 7, count: 10_000) }, true),
            ({ $0.chromaSubsampling = "4:2:0:4" }, true),
            ({ $0.chromaSubsampling = "4:2:1" }, false), ({ $0.hasProfile = true }, true),
        ] as [((inout ImageDetails) -> Void, Bool)] {
            var details = ImageDetails()
            change(&details)
            let read = WireFinding(WireFinding(id: 1, finding: .details(details)).encoded)?.finding
            #expect((read == .details(details)) == isPossible, "\(details)")
        }
        var many = ImageDetails()
        many.delays = Array(repeating: 1, count: 10_001)
        many.density = 0
        guard
            case .details(let read)? = WireFinding(WireFinding(id: 1, finding: .details(many)).encoded)?
                .finding
        else {
            Issue.record("not read")
            return
        }
        #expect(read.delays.count == 10_000 && read.density == nil)
    }

    @Test func `more delays than are told make no finding`() {
        var bytes = WireFinding(id: 1, finding: .details(ImageDetails())).encoded
        bytes.replaceSubrange((bytes.count - 2)..., with: [0x11, 0x27])
        #expect(WireFinding(bytes + [UInt8](repeating: 0, count: 40_004)) == nil)
        bytes.replaceSubrange((bytes.count - 2)..., with: [0x10, 0x27])
        #expect(WireFinding(bytes + [UInt8](repeating: 0, count: 40_000)) != nil)
    }
}
