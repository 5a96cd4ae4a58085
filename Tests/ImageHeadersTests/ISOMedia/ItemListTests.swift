// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

@Suite("Lists of items that decoders might read in another way are damage")
struct ItemListTests {
    private let small = Sample.ispe(24, 16)

    /// A picture with a thumbnail, and with an invalid EXIF item.
    private var file: [UInt8] {
        let picture = ("av01", [small, AV1.av1C()], AV1.sequence(24, 16))
        return CodedFile.make(
            [picture, picture, ("Exif", [], [1, 2, 3, 4])],
            references: [("thmb", 2, [1]), ("cdsc", 3, [1])])
    }

    /// The file with other bytes at an offset from the first occurrence of these four letters.
    private func patched(_ name: String, _ offset: Int, _ bytes: [UInt8]) throws -> [UInt8] {
        var patched = file
        let letters = Array(name.utf8)
        let place = try #require(
            patched.indices.dropLast(4).first { patched[$0..<$0 + 4].elementsEqual(letters) })
        let start = place + 4 + offset
        patched.replaceSubrange(start..<start + bytes.count, with: bytes)
        return patched
    }

    private func expectDamaged(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(throws: ImageHeaderError.damaged, sourceLocation: sourceLocation) {
            try ImageHeader.parse(bytes)
        }
    }

    @Test func `the file as it is is read`() throws {
        #expect(try ImageHeader.parse(file) == ImageHeader(format: .avif, width: 24, height: 16))
        #expect(try ImageHeader.parse(patched("iloc", 4, [0x44, 0])).width == 24)
    }

    @Test func `numbers in the list of places have 4 or 8 bytes, or are not there`() throws {
        for sizes: [UInt8] in [[0x24, 0], [0x41, 0], [0x44, 0x20], [0x44, 0x02], [0xC4, 0]] {
            expectDamaged(try patched("iloc", 4, sizes))
        }
        // Version 3.
        expectDamaged(try patched("iloc", 0, [3]))
    }

    @Test func `a reference fills its box`() throws {
        for count: UInt8 in [0, 2, 200] { expectDamaged(try patched("cdsc", 2, [0, count])) }
        expectDamaged(try patched("cdsc", -4, Array("uuid".utf8)))
        #expect(try ImageHeader.parse(patched("cdsc", -4, Array("okay".utf8))).width == 24)
    }

    @Test func `a list is as long as it says`() throws {
        expectDamaged(try patched("ipma", 4, Sample.big(4, 4)))
        expectDamaged(try patched("iloc", 6, Sample.big(200, 2)))
    }
}
