// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import Testing

@testable import Origin

@Suite struct `A reply's head` {
    private func head(_ lines: [String], byteLimit: Int = 1000, lineLimit: Int = 20) -> (
        ReplyHead, ReplyHead.Progress
    ) {
        head(lines.map { Array(($0 + "\r\n").utf8) }, byteLimit: byteLimit, lineLimit: lineLimit)
    }

    private func head(_ lines: [[UInt8]], byteLimit: Int = 1000, lineLimit: Int = 20) -> (
        ReplyHead, ReplyHead.Progress
    ) {
        var head = ReplyHead(byteLimit: byteLimit, lineLimit: lineLimit)
        var progress = ReplyHead.Progress.more
        for line in lines where progress != .tooLarge { progress = line.withUnsafeBytes { head.add($0) } }
        return (head, progress)
    }

    @Test func `has its status and its fields in order`() {
        let (head, progress) = head(["HTTP/1.1 200 OK", "A: 1", "b:2 ", "A:\t3", "Empty:", ""])
        #expect(progress == .complete && head.status == 200 && head.isComplete)
        #expect(
            head.fields == Fields([.init("A", "1"), .init("b", "2"), .init("A", "3"), .init("Empty", "")]))
    }

    @Test(arguments: [
        (["HTTP/1.1 200", "Content-Length: 3"], false),
        (["HTTP/1.1 200", "Transfer-Encoding: chunked"], false),
        (["HTTP/1.1 200"], true), (["HTTP/1.1 304"], false), (["HTTP/2 200"], false),
        (["HTTP/1.1 200", "Content-Length: 3", "Connection: Close"], true),
        (["HTTP/1.1 200", "Content-Length: 3", "Connection: a, close"], true),
        (["HTTP/1.1 200", "Content-Length: 3", "Connection: keep-alive"], false),
        (["HTTP/1.0 200", "Content-Length: 3"], true),
        (["HTTP/1.0 200", "Content-Length: 3", "Connection: Keep-Alive"], false),
    ])
    func `says whether its connection ends behind it`(lines: [String], isLast: Bool) {
        #expect(head(lines + [""]).0.isConnectionsLast == isLast)
    }

    @Test func `is not complete before its empty line`() {
        let (head, progress) = head(["HTTP/2 404 ", "A: 1"])
        #expect(progress == .more && head.status == 404 && !head.isComplete)
    }

    @Test func `starts over after an interim response, and ignores trailers`() {
        let (head, _) = head(["HTTP/1.1 103 Early", "A: 1", "", "HTTP/1.1 200", "B: 2", "", "C: 3", ""])
        #expect(head.fields == Fields([.init("B", "2")]))
    }

    @Test func `unfolds folded lines`() {
        let (head, _) = head(["HTTP/1.1 200 OK", "A: 1", "  2", "\t3", "B: 4", ""])
        #expect(head.fields == Fields([.init("A", "1 2 3"), .init("B", "4")]))
    }

    @Test func `leaves out what is no field`() {
        let odd: [[UInt8]] = [
            Array("no colon\r\n".utf8), Array(": no name\r\n".utf8), Array("sp ace: x\r\n".utf8),
            Array("trailing : x\r\n".utf8), Array("Nul: a\u{0}b\r\n".utf8), Array("CR: a\rb\r\n".utf8),
            Array("Latin: ".utf8) + [0xE9, 0x0D, 0x0A], Array("Fold: x\r\n".utf8), Array(" a\u{1}\r\n".utf8),
        ]
        let all = [Array("HTTP/1.1 200 OK\r\n".utf8)] + odd + [Array("Good: é\r\n".utf8), Array("\r\n".utf8)]
        #expect(head(all).0.fields == Fields([.init("Good", "é")]))
    }

    @Test func `is bounded in bytes and in lines, interim responses included`() {
        let lines = ["HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "A: 1", ""]
        let bytes = lines.reduce(0) { $0 + $1.utf8.count + 2 }
        #expect(head(lines, byteLimit: bytes, lineLimit: 5).1 == .complete)
        #expect(head(lines, byteLimit: bytes - 1).1 == .tooLarge)
        #expect(head(lines, lineLimit: 4).1 == .tooLarge)
    }
}
