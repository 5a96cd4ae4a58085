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

    @Test(arguments: [(["HTTP/2 200"], true), (["HTTP/2 200", "Content-Length: 3"], false)])
    func `that says HTTP/2 on a connection of HTTP/1.1 is one of HTTP/1.1`(lines: [String], isLast: Bool) {
        var head = head(lines + [""]).0
        head.takeForHTTP1()
        #expect(head.isConnectionsLast == isLast && head.endsWithConnection == isLast)
    }

    @Test(arguments: [
        (["HTTP/1.1 200", "Content-Length: 3"], false),
        (["HTTP/1.1 200", "Transfer-Encoding: chunked"], false),
        (["HTTP/1.0 200", "Content-Length: 3", "Connection: keep-alive"], false),
        (["HTTP/1.1 200", "Transfer-Encoding: chunked", "Content-Length: 3"], true),
        (["HTTP/1.0 200", "Transfer-Encoding: chunked", "Connection: keep-alive"], true),
        // The version of the final head counts.
        (["HTTP/1.0 103", "", "HTTP/1.1 200", "Transfer-Encoding: chunked"], false),
    ])
    func `says whether its framing is faulty, so that the connection serves no other request`(
        lines: [String], isFaulty: Bool
    ) {
        #expect(head(lines + [""]).0.isFramingFaulty == isFaulty)
    }

    @Test func `is not complete before its empty line`() {
        let (head, progress) = head(["HTTP/2 404 ", "A: 1"])
        #expect(progress == .more && head.status == 404 && !head.isComplete)
    }

    @Test func `starts over after an interim response, and ignores trailers`() {
        let (head, _) = head(["HTTP/1.1 103 Early", "A: 1", "", "HTTP/1.1 200", "B: 2", "", "C: 3", ""])
        #expect(head.fields == Fields([.init("B", "2")]))
    }

    @Test func `counts trailers among its lines`() {
        let lines = ["HTTP/1.1 200", "A: 1", "", "B: 2", ""]
        #expect(head(lines, lineLimit: 5).1 == .more)
        #expect(head(lines, lineLimit: 4).1 == .tooLarge)
    }

    @Test func `unfolds folded lines`() {
        let (head, _) = head(["HTTP/1.1 200 OK", "A: 1", "  2", "\t3", "B: 4", ""])
        #expect(head.fields == Fields([.init("A", "1 2 3"), .init("B", "4")]))
    }

    /// The fields of a head with these lines.
    private func fields(_ lines: [UInt8]...) -> Fields {
        let ends = Array("\r\n".utf8)
        let ended = [Array("HTTP/1.1 200 OK".utf8)] + lines + [[]]
        return head(ended.map { $0 + ends }).0.fields
    }

    @Test func `leaves out what is no field`() {
        let odd = ["no colon", ": no name", "sp ace: x", "N\u{0}l: x", "Naïve: x", "HTTP/1.1 500 Oops"]
        for line in odd {
            #expect(fields(Array(line.utf8), Array("Good: é".utf8)).list.count == 1, "\(line)")
        }
    }

    @Test func `takes white space before a colon for none of the name`() {
        for line in ["Good : x", "Good \t: x", "Good:x", "Good:\tx \t"] {
            #expect(fields(Array(line.utf8)) == Fields([.init("Good", "x")]), "\(line)")
        }
    }

    @Test func `reads what is no UTF-8 as Latin-1, and control characters as spaces`() {
        #expect(fields(Array("Latin: ".utf8) + [0xE9, 0x21]) == Fields([.init("Latin", "é!")]))
        #expect(fields(Array("Nul: a\u{0}b\rc\u{7F}".utf8)) == Fields([.init("Nul", "a b c")]))
        #expect(fields(Array("Fold: \u{E9}".utf8), [0x20, 0xE9]) == Fields([.init("Fold", "Ã© é")]))
    }

    @Test func `has no entity tag that could not be sent back as it came`() {
        #expect(fields(Array("ETag: \"é\"".utf8)).list.count == 1)
        #expect(fields(Array("ETag: \"".utf8) + [0xE9, 0x22]).list.isEmpty)
        #expect(fields(Array("etag: \"a\u{1}b\"".utf8)).list.isEmpty)
    }

    @Test func `escapes the bytes of a redirect's target that no URL has`() {
        #expect(fields(Array("Location: /\u{E4}.png".utf8))["location"] == "/ä.png")
        #expect(fields(Array("location : /".utf8) + [0xE4, 0x2E])["location"] == "/%E4.")
    }

    /// True if the head forbids storing the answer, because its own rules for that cannot be understood.
    private func isUnkept(_ fields: Fields) -> Bool {
        fields.values("Cache-Control") == ["no-store"] && fields.values("Vary") == ["*"]
            && fields["CDN-Cache-Control"] == nil && fields["Expires"] == nil
    }

    @Test(arguments: [
        "Cache-Control: no\u{1}-store", "CDN-Cache-Control: max-age=6\u{0}0", "Vary: Coo\rkie",
        "Pragma: \u{7F}",
        "Expires: \u{2}", "Age: 5\u{1}0", "Cache Control: no-store", "C\u{0}ache-Control: no-store",
        "Vary\u{1}: *", "(Pragma): no-cache", "Cache-Control no-store", "Vary",
        "Ca\u{E9}che-Control: private",
        " Cache-Control: no-store", "Lo cation: /x", "Expires=0",
    ])
    func `forbids to keep the reply if a line that rules it cannot be read`(line: String) {
        let permission = Array("CDN-Cache-Control: max-age=60".utf8)
        #expect(isUnkept(fields(Array(line.utf8))))
        #expect(isUnkept(fields(Array(line.utf8), permission, Array("Cache-Control: must-understand".utf8))))
        // A folded line after a line that was left out does not become a part of the line before.
        #expect(isUnkept(fields(permission, Array("X y: z".utf8), Array((" " + line).utf8))))
    }

    @Test(arguments: [
        "Various: \u{1}", "X-Vary\u{1}: *", "X-Cache-Control: \u{1}", "no colon", "X y: Cache-Control",
    ])
    func `may be kept if the line that cannot be read is about something else`(line: String) {
        #expect(
            fields(Array("Cache-Control: max-age=60".utf8), Array(line.utf8))["cache-control"] == "max-age=60"
        )
    }

    @Test func `does not start over in its middle, nor end at a line of spaces`() {
        for line in ["HTTP/1.1 200 OK", "HTTP/2: x", " ", "\t "] {
            let fields = fields(Array("Cache-Control: no-store".utf8), Array(line.utf8), Array("B: 2".utf8))
            #expect(fields["cache-control"] == "no-store" && fields["b"] == "2", "\(line)")
        }
    }

    @Test func `is none where it switches to another protocol`() {
        #expect(head(["HTTP/1.1 101 Switching Protocols"]).1 == .badFraming(.otherProtocol))
        #expect(head(["HTTP/1.1 100 Continue", "", "HTTP/1.1 101"]).1 == .badFraming(.otherProtocol))
        #expect(head(["HTTP/1.1 102 Processing"]).1 == .more)
    }

    @Test func `has the status behind a tab, which libcurl 8 takes for the space`() {
        #expect(head(["HTTP/1.1\t404 200", ""]).0.status == 404)
        #expect(head(["HTTP/1.1\t101 200"]).1 == .badFraming(.otherProtocol))
        let lines = ["HTTP/1.1\t100 200", "A: 1", "", "HTTP/1.1 200", "Transfer-Encoding: gzip"]
        #expect(head(lines).1 == .badFraming(.transferCoding))
    }

    @Test(arguments: [
        "HTTP/1.1  200 OK", "HTTP/1.1\t 200", "HTTP/1.1 \t200", "http/1.1 200 OK", "HTTP/1.1 20",
        "HTTP/1.1 -20 OK",
        "HTTP/1.1", "A: 1", " HTTP/1.1 200 OK",
    ])
    func `is none without a status of three digits behind one blank`(line: String) {
        let (head, progress) = head([line])
        #expect(progress == .badFraming(.statusLine) && head.status == 0)
        #expect(self.head(["HTTP/1.1 100 Continue", "", line]).1 == .badFraming(.statusLine))
    }

    @Test func `forgets the odd lines of an interim response`() {
        let (head, _) = head(["HTTP/1.1 103 Early", "Vary", "", "HTTP/1.1 200", "B: 2", ""])
        #expect(head.fields == Fields([.init("B", "2")]))
    }

    @Test func `is bounded in bytes and in lines, interim responses included`() {
        let lines = ["HTTP/1.1 100 Continue", "", "HTTP/1.1 200 OK", "A: 1", ""]
        let bytes = lines.reduce(0) { $0 + $1.utf8.count + 2 }
        #expect(head(lines, byteLimit: bytes, lineLimit: 5).1 == .complete)
        #expect(head(lines, byteLimit: bytes - 1).1 == .tooLarge)
        #expect(head(lines, lineLimit: 4).1 == .tooLarge)
    }
}
