// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import RandomInputs
import Synchronization
import Testing

@Suite struct HeaderFuzzTests {
    /// Any header or an error is fine; a trap ends the test run.
    private func check(_ bytes: [UInt8]) {
        guard let header = try? ImageHeader.parse(bytes) else { return }
        #expect((0...Int(Int32.max)).contains(header.width) && (0...Int(Int32.max)).contains(header.height))
        #expect((1...8).contains(header.orientation) && header.pages >= 1, "\(header)")
    }

    @Test func `every sample is a picture, and no cut of it traps`() throws {
        for sample in SampleHeaders.all {
            _ = try ImageHeader.parse(sample)
            for length in 0..<sample.count { check(Array(sample.prefix(length))) }
        }
    }

    @Test func `no single byte, whatever its value, traps`() {
        for sample in SampleHeaders.all {
            for index in sample.indices {
                for value: UInt8 in [0, 1, 0x7F, 0x80, 0xFE, 0xFF, sample[index] ^ 1, sample[index] ^ 0x80] {
                    var bytes = sample
                    bytes[index] = value
                    check(bytes)
                }
            }
        }
    }

    @Test func `random damage does not trap`() {
        var random = SeededRandom(for: "headers")
        for _ in 0..<6_000 {
            var bytes = SampleHeaders.all.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.insert(contentsOf: random.bytes(4), at: index)
                case 2: bytes.removeSubrange(index..<min(index + 3, bytes.count - 1))
                default:
                    bytes.replaceSubrange(
                        index..<min(index + 8, bytes.count), with: Array(repeating: 0xFF, count: 8))
                }
                if bytes.isEmpty { bytes = [0] }
            }
            check(bytes)
        }
    }

    @Test func `random bytes behind a signature do not trap`() {
        var random = SeededRandom(for: "signatures")
        for _ in 0..<6_000 {
            let sample = SampleHeaders.all.randomElement(using: &random) ?? []
            check(Array(sample.prefix(Int.random(in: 4...24, using: &random))) + random.bytes(64))
        }
    }

    /// A file whose bytes follow from their offsets, and which counts the bytes read.
    private final class CountingSource: HeaderSource {
        let length: Int
        let bytesRead = Atomic(0)
        private let byte: @Sendable (Int) -> UInt8

        init(length: Int, _ byte: @escaping @Sendable (Int) -> UInt8) {
            self.length = length
            self.byte = byte
        }

        func read(at offset: Int, count: Int) -> [UInt8] {
            let end = min(offset + count, length)
            bytesRead.add(end - offset, ordering: .relaxed)
            return (offset..<end).map(byte)
        }
    }

    @Test func `a header at the start is found in one block`() throws {
        for sample in [SampleHeaders.jpeg(), SampleHeaders.png(), SampleHeaders.webp(SampleHeaders.vp8())] {
            let source = CountingSource(length: 50_000_000) { $0 < sample.count ? sample[$0] : 0 }
            _ = try ImageHeader.parse(source)
            #expect(source.bytesRead.load(ordering: .relaxed) <= 16_384)
        }
    }

    @Test func `reading is bounded, and what needs more is damage`() {
        let head = Array(SampleHeaders.gif([]).dropLast())
        let frame = SampleHeaders.gifFrame()
        let endless = CountingSource(length: 1 << 32) {
            $0 < head.count ? head[$0] : frame[($0 - head.count) % frame.count]
        }
        let budget = 256 * 1_024
        var reader = HeaderReader(endless, budget: budget)
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(&reader) }
        #expect((budget / 2...budget).contains(endless.bytesRead.load(ordering: .relaxed)))
    }

    @Test func `looking at the same bytes again and again is bounded too`() {
        // Directories of 500 entries that begin six bytes apart, all in one block.
        var bytes = SampleHeaders.tiff([[(256, 640), (257, 480)]], last: 64)
        bytes += [UInt8](repeating: 0, count: 16_384 - bytes.count)
        for start in stride(from: 64, to: 10_000, by: 6) {
            bytes.replaceSubrange(start..<(start + 2), with: SampleHeaders.little(500, 2))
            let next = start + 2 + 500 * 12
            bytes.replaceSubrange(next..<(next + 4), with: SampleHeaders.little(start + 6, 4))
        }
        var reader = HeaderReader(HeaderBytes(bytes), budget: 256 * 1_024)
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(&reader) }
        var patient = HeaderReader(HeaderBytes(bytes))
        #expect(throws: Never.self) { try ImageHeader.parse(&patient) }
    }

    @Test func `a source that reads nothing is damage`() {
        struct Broken: HeaderSource {
            let length = 100
            func read(at offset: Int, count: Int) -> [UInt8] { [] }
        }
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(Broken()) }
    }
}
