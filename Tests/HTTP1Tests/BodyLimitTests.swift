// SPDX-License-Identifier: Apache-2.0

import HTTP1
import RandomInputs
import Testing

@Suite("A body is as long as its limits allow, to the byte")
struct BodyLimitTests {
    private func limits(body: Int, overhead: Int = 10_000) -> ParserLimits {
        var limits = ParserLimits()
        (limits.bodyBytes, limits.chunkOverheadBytes) = (body, overhead)
        return limits
    }

    /// The length of the content, or the error; nil if the body is incomplete.
    private func read(_ text: String, _ framing: Framing = .chunked, _ limits: ParserLimits) -> Result<
        Int?, MessageError
    > {
        do throws(MessageError) {
            var decoder = try BodyDecoder(framing, limits: limits)
            var count = 0
            // Byte by byte, so that nothing depends on the following bytes.
            for byte in bytes(text) where !decoder.isComplete {
                try withBuffer([byte]) { (buffer) throws(MessageError) in
                    _ = try decoder.decode(buffer) { count += $0.count }
                }
            }
            return .success(decoder.isComplete ? count : nil)
        } catch {
            return .failure(error)
        }
    }

    private func withBuffer(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws(MessageError) -> Void
    ) throws(MessageError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { buffer.deallocate() }
        buffer.copyBytes(from: bytes)
        try body(UnsafeRawBufferPointer(buffer))
    }

    private func chunked(_ sizes: [Int]) -> String {
        sizes.map { "\(String($0, radix: 16))\r\n\(String(repeating: "x", count: $0))\r\n" }.joined()
            + "0\r\n\r\n"
    }

    @Test(arguments: [1, 15, 16, 17, 255, 256])
    func `a declared length may be the limit`(limit: Int) {
        let limits = limits(body: limit)
        for length in [limit - 1, limit] where length > 0 {
            let text = String(repeating: "x", count: length)
            #expect(read(text, .length(length), limits) == .success(length))
            #expect(read(text + "y", .length(length), limits) == .success(length))
            #expect(read(String(text.dropLast()), .length(length), limits) == .success(nil))
        }
        #expect(read("", .length(limit + 1), limits) == .failure(.bodyTooLarge))
    }

    @Test(arguments: [1, 15, 16, 17, 255, 256])
    func `chunks may hold the limit together, in one or in many`(limit: Int) {
        let limits = limits(body: limit)
        let halves = [limit / 2, limit - limit / 2].filter { $0 > 0 }
        for sizes in [[limit], halves, Array(repeating: 1, count: limit)] {
            #expect(read(chunked(sizes), limits) == .success(limit))
            #expect(read(chunked(sizes + [1]), limits) == .failure(.bodyTooLarge))
        }
        #expect(read(chunked([limit + 1]), limits) == .failure(.bodyTooLarge))
    }

    private func read(_ text: String, _ limits: ParserLimits) -> Result<Int?, MessageError> {
        read(text, .chunked, limits)
    }

    @Test func `a size is refused as soon as its digits say too much`() {
        #expect(read("10", limits(body: 15)) == .failure(.bodyTooLarge))
        #expect(read("10", limits(body: 16)) == .success(nil))
        #expect(read("0000000000000000000000000000000000010", limits(body: 16)) == .success(nil))
        #expect(read("fffffffffffffff", limits(body: .max)) == .success(nil))
    }

    @Test func `what is no content is counted, each byte of it`() {
        for text in [
            chunked([1]), chunked([1, 1, 1]), chunked([16]), "1;a=\"b c\";d\r\nx\r\n0\r\n\r\n",
            "0\r\nX: y\r\nEmpty:\r\n\r\n", "0001\r\nx\r\n000\r\n\r\n",
        ] {
            guard case .success(let content?) = read(text, limits(body: 64)) else {
                Issue.record("\(text) is a body")
                continue
            }
            let overhead = text.utf8.count - content
            #expect(read(text, limits(body: 64, overhead: overhead)) == .success(content), "\(text)")
            #expect(
                read(text, limits(body: 64, overhead: overhead - 1)) == .failure(.bodyTooLarge), "\(text)")
        }
    }

    @Test func `a chunked body is what was put into it, in any chunks and in any pieces`() throws {
        var random = SeededRandom(for: "BodyLimit")
        let seed = random.seed
        for _ in 0..<500 {
            var (text, content): ([UInt8], [UInt8]) = ([], [])
            for _ in 0..<Int.random(in: 0...5, using: &random) {
                let chunk = (0..<Int.random(in: 1...40, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                let size = String(chunk.count, radix: 16, uppercase: Bool.random(using: &random))
                let zeros = String(repeating: "0", count: Int.random(in: 0...3, using: &random))
                let tail = [";a", ";a=b", ";a=\"\\\"\"", ""].randomElement(using: &random) ?? ""
                text += bytes(zeros + size + tail + "\r\n") + chunk + bytes("\r\n")
                content += chunk
            }
            text += bytes("0\r\n\r\n")
            var decoder = try BodyDecoder(.chunked, limits: limits(body: 256))
            var (read, start): ([UInt8], Int) = ([], 0)
            while start < text.count {
                #expect(!decoder.isComplete)
                let end = min(text.count, start + Int.random(in: 1...9, using: &random))
                try withBuffer(Array(text[start..<end])) { (buffer) throws(MessageError) in
                    #expect(try decoder.decode(buffer) { read += $0 } == buffer.count)
                }
                start = end
            }
            #expect(decoder.isComplete && read == content, "seed \(seed)")
        }
    }
}
