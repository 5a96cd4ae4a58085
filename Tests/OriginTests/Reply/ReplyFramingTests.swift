// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Origin

@Suite struct `A response's framing` {
    private func flaw(_ lines: [String]) -> ReplyFraming.Flaw? {
        var framing = ReplyFraming()
        for line in ["HTTP/1.1 200 OK"] + lines + [""] {
            let bytes = Array((line + "\r\n").utf8)
            if let flaw = bytes.withUnsafeBytes({ framing.add($0) }) { return flaw }
        }
        return nil
    }

    @Test(arguments: ["chunked", "Chunked", " CHUNKED \t"])
    func `may be chunked`(coding: String) { #expect(flaw(["Transfer-Encoding:\(coding)"]) == nil) }

    @Test(arguments: [
        "gzip", "gzip, gzip, gzip, gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "identity",
        "",
        "x-chunked", "\"chunked\"", "chunked;q=1", "chunked\u{b}", "deflate", "br", "zstd", "xchunked",
    ])
    func `has no other transfer coding`(coding: String) {
        #expect(flaw(["Transfer-Encoding: \(coding)"]) == .transferCoding)
        #expect(flaw(["tRANSFER-eNCODING: \(coding)"]) == .transferCoding)
        #expect(
            flaw(["A: b", "Transfer-Encoding: chunked", "Transfer-Encoding: \(coding)"]) == .transferCoding)
    }

    @Test func `names its coding once, and on one line`() {
        #expect(flaw(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]) == .transferCoding)
        #expect(flaw(["Transfer-Encoding: chunked", "\tgzip"]) == .transferCoding)
        #expect(flaw(["Transfer-Encoding : chunked"]) == .transferCoding)
        #expect(flaw(["A: b", " Transfer-Encoding: gzip"]) == nil)
        #expect(flaw(["X-Transfer-Encoding: gzip"]) == nil)
    }

    @Test func `is judged in interim responses too, each by itself`() {
        #expect(
            flaw(["Transfer-Encoding: chunked", "", "HTTP/1.1 200 OK", "Transfer-Encoding: chunked"]) == nil)
        #expect(flaw(["Transfer-Encoding: gzip", "", "HTTP/1.1 200 OK"]) == .transferCoding)
    }

    @Test(arguments: ["", "-1", "+5", "5 5", "5, 6", "5, 5", "0x10", "1e3", "9999999999999999999", "5\u{b}"])
    func `has a length in digits`(length: String) {
        #expect(flaw(["Content-Length: \(length)"]) == .contentLength)
    }

    @Test func `has one length`() {
        #expect(flaw(["Content-Length: 5", "content-length:5"]) == nil)
        #expect(flaw(["Content-Length: 5", "Content-Length: 05"]) == nil)
        #expect(flaw(["Content-Length: 5", "Content-Length: 6"]) == .contentLength)
        #expect(flaw(["Content-Length: 999999999999999999"]) == nil)
    }

    @Test func `does not begin anew in the middle of a head`() {
        #expect(flaw(["Content-Length: 5", "HTTP/1.1 200 OK", "Content-Length: 6"]) == .contentLength)
        let codings = ["Transfer-Encoding: chunked", "HTTP/1.1 200 OK", "Transfer-Encoding: chunked"]
        #expect(flaw(codings) == .transferCoding)
    }

    @Test func `that is said twice is told`() {
        var framing = ReplyFraming()
        for line in ["HTTP/1.1 200 OK\r\n", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"] {
            #expect(Array(line.utf8).withUnsafeBytes { framing.add($0) } == nil)
        }
        #expect(framing.isTwofold)
    }
}
