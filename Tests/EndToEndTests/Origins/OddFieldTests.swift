// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("An origin's field that is spelled oddly is never lost where it forbids", .endToEnd)
struct OddFieldTests {
    private static let picture = Pictures.gradient(60, 40)
    /// Without a rule of the origin's, it would be kept by the date.
    private static let date = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"

    /// Each target's picture has the line of that number, as these bytes.
    private func origin(_ lines: [[UInt8]]) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            let line = lines[Int(peer.target.dropFirst()) ?? 0]
            peer.send("HTTP/1.1 200 OK\r\n\(Self.date)\r\nContent-Length: \(Self.picture.count)\r\n")
            peer.send(line)
            peer.send("\r\n\r\n")
            peer.send(Self.picture)
        }
    }

    private func askedTwice(_ lines: [[UInt8]], _ check: (Connection.Reply) -> Void) throws -> Int {
        let origin = origin(lines)
        let daemon = try DaemonUnderTest()
        for number in lines.indices {
            for width in [30, 20] { check(try daemon.get(origin.url("/\(number)"), "w=\(width)")) }
        }
        return origin.heads.count
    }

    @Test func `what forbids keeping does so with a space before the colon, or beside other letters`() throws
    {
        let latin: [UInt8] = Array("Cache-Control: private, x=\"".utf8) + [0xE9, 0x22]
        let lines =
            [
                "Cache-Control : no-store", "Cache-Control\t: private", "Cache-Control: max-age=60; no-store",
                "Cache-Control: no-s\u{1}tore", "Cache-Control: max-age=60, x=\"open, no-store",
            ].map { Array($0.utf8) } + [latin]
        let asked = try askedTwice(lines) { reply in
            #expect(reply.status == 200)
            #expect(reply["Cache-Control"]?.contains("max-age") == false, "\(reply["Cache-Control"] ?? "")")
            #expect(reply["Cache-Status"]?.contains("stored") == false)
        }
        #expect(asked == 2 * lines.count)
    }

    @Test func `what makes each request one of its own does so, however it is spelled`() throws {
        let lines = ["Vary : *", "Vary: Accept; Cookie"].map { Array($0.utf8) }
        let asked = try askedTwice(lines) { #expect($0.status == 200) }
        #expect(asked == 2 * lines.count)
    }

    @Test func `what says nothing of keeping may be as odd as it likes`() throws {
        let lines = [Array("X-Caf".utf8) + [0xE9] + Array(": x".utf8), Array("X: ".utf8) + [0xE9, 0x01]]
        let asked = try askedTwice(lines) { #expect($0.status == 200) }
        #expect(asked == lines.count)
    }

    @Test func `a redirect leads where it says, in Latin-1 as in UTF-8`() throws {
        let origin = ScriptedOrigin { peer in
            switch peer.target {
            case "/a": peer.send("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation : /c\r\n\r\n")
            case "/b":
                peer.send("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /")
                peer.send([0xE4])
                peer.send("\r\n\r\n")
            case "/c", "/%E4": peer.picture(Self.picture)
            default: peer.answer("404 Not Found")
            }
        }
        let daemon = try DaemonUnderTest()
        for target in ["/a", "/b"] {
            #expect(try daemon.get(origin.url(target), "w=30").status == 200, "\(target)")
        }
    }
}
