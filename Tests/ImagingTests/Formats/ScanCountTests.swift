// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

@Suite("A JPEG has no more scans than any picture needs")
struct ScanCountTests {
    private func count(_ bytes: [UInt8], upTo most: Int = 9) -> Int {
        bytes.withUnsafeBytes { JPEGContainer.scans($0, upTo: most) }
    }

    private let start: [UInt8] = [0xFF, 0xD8]
    private let end: [UInt8] = [0xFF, 0xD9]
    /// A scan whose data contain a stuffed zero and a restart marker.
    private let scan = JPEGFile.segment(0xDA, [1, 1, 0, 0, 63, 0]) + [7, 0xFF, 0, 9, 0xFF, 0xD0, 8]

    @Test func `scans are counted up to the end, and no further than is asked`() {
        #expect(count(start + end) == 0)
        #expect(count(start + scan + end) == 1)
        #expect(count(start + scan + scan + scan + end) == 3)
        #expect(count(start + scan + end + scan) == 1)
        #expect(count(start + Array(repeating: scan, count: 50).flatMap { $0 } + end, upTo: 9) == 10)
        #expect(count([]) == 0)
    }

    @Test func `what stands between and within segments is passed over as a decoder does`() {
        let comment = JPEGFile.segment(0xFE, [0xFF, 0xDA, 0xFF, 0xD9])
        #expect(count(start + comment + scan + end) == 1)
        // Fill bytes, and bytes outside any segment.
        let filled: [UInt8] = [1, 2, 0xFF, 0xFF] + scan
        let strewn: [UInt8] = [3, 4] + scan
        #expect(count(start + filled + strewn + end) == 2)
        // A length that does not count itself.
        #expect(count(start + [0xFF, 0xFE, 0, 0] + scan + end) == 1)
    }

    @Test func `a marker that is none hides no scan in what would be its segment`() {
        for marker: UInt8 in [0x01, 0x02, 0x4F, 0xBF] {
            #expect(count(start + scan + [0xFF, marker] + scan + [0xFF, marker] + scan + end) == 3)
        }
    }

    @Test func `whatever is cut has some number`() {
        let whole = start + JPEGFile.segment(0xFE, [1, 2]) + scan + scan + end
        for length in whole.indices { #expect(count(Array(whole.prefix(length))) <= 2) }
    }

    @Test func `a file of scan upon scan is refused before any is read`() throws {
        var recipe = Recipe.make(.jpeg)
        recipe.interlaced = true
        let file = try TestRenderer.render(PNGFile.write(gradient(64, 48)), recipe).bytes
        let few = count(file, upTo: Source.mostScans)
        #expect((2...20).contains(few))
        let last = try #require(file.indices.dropLast().last { file[$0] == 0xFF && file[$0 + 1] == 0xDA })
        let body = file.dropLast(2)
        let more = Array(repeating: Array(body[last...]), count: Source.mostScans).flatMap { $0 }
        let many = Array(body) + more + end
        for lane in [true, false] {
            #expect(throws: ImagingFailure.damaged("too many scans")) {
                try TestRenderer.render(many, .make(.png, w: 20), jpegLane: lane)
            }
            #expect(throws: Never.self) {
                try TestRenderer.render(file, .make(.png, w: 20), jpegLane: lane)
            }
        }
    }
}
