// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What a stranger writes into a URL does not come back as anything that a browser, a terminal or a proxy would obey.
@Suite(.endToEnd) struct `Nothing of a request is reflected as it is` {
    private static let words = [
        "<script>alert(1)</script>", "%3Cscript%3Ealert(1)%3C/script%3E", "\"};alert(1)//",
        "%22%7D;alert(1)//",
        "%E2%80%A8%E2%80%A9", "%0d%0aX-Injected:%20y", "%0aSet-Cookie:%20a=b", "%00", "%1b[31m", "%ff%fe",
        "%C0%BC",
        "%ED%A0%80", "%F4%90%80%80", "%5Cu003cscript%5Cu003e", "&lt;b&gt;", "${7*7}", "%7F", "%C2%85",
        "javascript:alert(1)", "data:text/html,%3Cb%3E",
    ]

    @Test func `in an error`() throws {
        let daemon = try DaemonUnderTest()
        for word in Self.words {
            for target in [
                "/img?\(word)=1&url=http://a.example/", "/img?url=\(word)",
                "/img?url=http://a.example/&w=\(word)",
                "/img?url=http://\(word)/", "/\(word)", "/img?url=http://127.0.0.1:1/\(word)&\(word)",
            ] {
                let reply = try daemon.get(target)
                #expect((400...599).contains(reply.status), "\(target)")
                try check(reply, of: target)
                #expect(reply["Content-Type"] == "application/json")
                #expect(reply["X-Content-Type-Options"] == "nosniff")
            }
        }
    }

    @Test func `in the fields of a picture`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(4, 4), fields: ["X-Origin: <script>"]) }
        let daemon = try DaemonUnderTest()
        for word in ["%22%3E%3Cscript%3E", "a%3Eb", "%2522%253E", "%E2%80%A8", "%25%30%64%25%30%61X:y"] {
            let reply = try daemon.get("/img?url=http://127.0.0.1:\(origin.port)/\(word)?\(word)")
            #expect(reply.status == 200, "\(word): \(reply.text)")
            #expect(reply["X-Origin"] == nil)
            let link = try #require(reply["Link"])
            #expect(link.hasPrefix("<http://") && link.hasSuffix(">; rel=\"canonical\""))
            #expect(!link.dropFirst().dropLast(18).contains { "<>\"".contains($0) || !$0.isASCII }, "\(link)")
        }
    }

    private func check(_ reply: Connection.Reply, of target: String) throws {
        let text = try #require(String(validating: reply.body, as: UTF8.self), "\(target)")
        #expect(
            !text.dropLast().unicodeScalars.contains {
                "<>&\u{2028}\u{2029}\u{7F}\u{85}".unicodeScalars.contains($0) || $0.value < 0x20
            }, "\(target): \(text)")
        let object = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
        #expect(object?["code"] as? Int == reply.status, "\(target)")
        for (name, value) in reply.fields {
            #expect(value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "\(name): \(value)")
            #expect(name != "X-Injected" && name != "Set-Cookie")
        }
    }
}
