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
            .unpack(.deflate, limit: .max),
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
}
