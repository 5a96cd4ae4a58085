// SPDX-License-Identifier: Apache-2.0

import Bytes
import ImageHeaders
import Pipeline
@testable import Stores
import Testing

@Suite struct FooterTests {
    private let footer = Footer(
        kind: .rendition, format: .avif, width: 0x0102_0304, height: 5, pages: 6, length: 0x000F_090A_0B0C,
        checksum: Digest(words: (1, 2, 3, 4)))

    private func read(_ bytes: [UInt8]) -> Footer? { bytes.withUnsafeBytes { Footer($0) } }

    @Test func `it has 64 bytes and reads back as it was written`() {
        #expect(footer.bytes.count == Footer.size)
        #expect(footer.head.count == Footer.headSize)
        #expect(read(footer.bytes) == footer)
    }

    @Test func `its numbers lie where the format says`() {
        let bytes = footer.bytes
        #expect(Array(bytes[0..<12]) == [0x89, 0x50, 0x49, 0x43, 0x54, 0x4F, 0x52, 0x0A, 1, 2, 5, 0])
        #expect(Array(bytes[12..<16]) == [4, 3, 2, 1])
        #expect(Array(bytes[24..<32]) == [0x0C, 0x0B, 0x0A, 0x09, 0x0F, 0, 0, 0])
        #expect(Array(bytes[32..<41]) == [0, 0, 0, 0, 0, 0, 0, 1, 0])
    }

    @Test func `anything else is refused`() {
        for offset in 0..<11 {
            var bytes = footer.bytes
            bytes[offset] = 0xFF
            #expect(read(bytes) == nil, "byte \(offset)")
        }
        #expect(read(Array(footer.bytes.dropLast())) == nil)
        #expect(read(footer.bytes + [0]) == nil)
        #expect(read([]) == nil)
    }

    @Test func `a file's name is its digest, in a folder of two digits`() throws {
        let digest = try #require(Digest((0..<32).map { UInt8(truncatingIfNeeded: $0 * 37) }))
        let path = FilePath(digest)
        #expect(path.relative == "\(digest.hex.prefix(2))/\(digest.hex)")
        #expect(path.folder == digest.hex.prefix(2))
        #expect(FilePath.folders.contains(path.folder))
        #expect(Set(FilePath.folders).count == 256)
    }
}
