// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import RandomInputs
import Testing

@testable import HTTPServer

@Suite struct Base64TextTests {
    private func file(_ bytes: [UInt8]) throws -> Body {
        let file = try MemoryFile.empty()
        // The bytes after these are not part of the body.
        #expect(write(file.raw, bytes + [1, 2, 3], bytes.count + 3) == bytes.count + 3)
        return .file(file, length: bytes.count)
    }

    @Test func `the text is Foundation's, whole and in pieces from anywhere, from memory and from a file`()
        throws
    {
        var random = SeededRandom(for: "base64")
        let prefix = ImmutableBytes("data:x,".utf8)
        for count in Array(0...10) + [100, 3_001] {
            let bytes = random.bytes(count)
            let expected = Array(("data:x," + Data(bytes).base64EncodedString()).utf8)
            for body in [.bytes(ImmutableBytes(bytes)), try file(bytes)] as [Body] {
                let text = Base64Text(prefix: prefix, of: body)
                #expect(text.count == expected.count)
                let whole = try text.bytes()
                #expect(whole.buffer.elementsEqual(expected), "\(bytes)")
                for _ in 0..<60 {
                    let offset = Int.random(in: 0..<expected.count, using: &random)
                    let wanted = Int.random(in: 1...expected.count - offset, using: &random)
                    let piece = try text.withBytes(from: offset, count: wanted) { Array($0) }
                    #expect(!piece.isEmpty && piece.count <= wanted)
                    #expect(
                        piece[...] == expected[offset..<offset + piece.count], "\(bytes) \(offset) \(wanted)")
                }
            }
        }
    }

    @Test func `nothing is sent of a file that was written to since its store verified it`() throws {
        let raw = try withExtendedLifetime(MemoryFile.empty()) { dup($0.raw) }
        let bytes: [UInt8] = [1, 2, 3]
        #expect(write(raw, bytes, bytes.count) == bytes.count)
        let state = try #require(FileState(raw))
        let file = OwnedDescriptor(adopting: raw, in: state) { _, _ in }
        #expect(write(raw, bytes, bytes.count) == bytes.count)
        let text = Base64Text(prefix: ImmutableBytes("data:,".utf8), of: .file(file, length: bytes.count))
        var ends: [Int32] = [-1, -1]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        var outbox = Outbox()
        outbox.append(text, offset: 0, count: text.count)
        outbox.keep(text)
        let result = outbox.send(to: ends[0])
        #expect(result == .failed)
        var byte: UInt8 = 0
        #expect(recv(ends[1], &byte, 1, 0) == -1)
    }

    @Test func `it is sent in pieces, and a file that ends too early ends the connection`() async throws {
        var random = SeededRandom(for: "base64 in pieces")
        let bytes = random.bytes(1_000_000)
        let handler = TestHandler(file: try file(bytes), asText: true)
        try await withServer(handler) { _, address in
            let answers = try await onThread {
                let client = try Client(address)
                try client.send("GET /file HTTP/1.1\r\nHost: x\r\n\r\nGET /hit/3 HTTP/1.1\r\nHost: x\r\n\r\n")
                return [try client.receive(), try client.receive()]
            }
            #expect(answers[0].content == Array(("data:," + Data(bytes).base64EncodedString()).utf8))
            #expect(answers[1].content == TestHandler.content(3))
        }
        guard case .file(let file, _)? = handler.file else {
            Issue.record("It is no file.")
            return
        }
        #expect(ftruncate(file.raw, 500_000) == 0)
        try await withServer(handler) { _, address in
            let isCut = try await onThread {
                let client = try Client(address)
                try client.send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n")
                do {
                    _ = try client.receive()
                    return false
                } catch {
                    return true
                }
            }
            #expect(isCut)
        }
    }
}
