// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import TestSupport
import Testing

@Suite struct `An origin's offer to speak otherwise or elsewhere` {
    @Test func `is passed over: the next request goes where the URL says`() async throws {
        let elsewhere = ScriptedOrigin { $0.answer(body: "secret".utf8) }
        // RFC 7838 §3, RFC 9110 §7.8, RFC 6797 §6.1, and two that browsers obey.
        let offers = [
            "Alt-Svc: h2=\"127.0.0.1:\(elsewhere.port)\"; ma=86400; persist=1, http/1.1=\":\(elsewhere.port)\"",
            "Upgrade: h2c, websocket", "Connection: upgrade", "Strict-Transport-Security: max-age=86400",
            "Refresh: 0; url=http://127.0.0.1:\(elsewhere.port)/",
            "Content-Location: http://127.0.0.1:\(elsewhere.port)/", "Link: <//127.0.0.1>; rel=canonical",
        ]
        let origin = ScriptedOrigin(address: "127.0.0.2") { $0.answer(fields: offers, body: "abc".utf8) }
        try await withDownloader { downloader in
            for number in 1...3 {
                let reply = try await downloader.fetch(origin.url("/\(number)"))
                #expect(reply.finalURL == origin.url("/\(number)"))
                #expect(reply.payload?.length == 3)
            }
        }
        #expect(elsewhere.accepted == 0)
        #expect(origin.heads.count == 3)
        for head in origin.heads {
            let names = head.lowercased()
            for word in ["upgrade", "http2-settings", "alt-used", "cookie", "authorization", "referer"] {
                #expect(!names.contains("\r\n\(word)"), "\(head)")
            }
        }
    }

    @Test func `of another protocol is not waited for`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.malformed))
        #expect(origin.heads.count == 1)
    }

    @Test func `of another protocol is no answer`() async throws {
        for status in ["101 Switching Protocols", "100 Continue"] {
            let origin = ScriptedOrigin {
                $0.send("HTTP/1.1 \(status)\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n")
                $0.close()
            }
            let failure = try await withDownloader { await $0.failure(origin.url()) }
            guard case .brokenReply = failure else {
                Issue.record("\(status): \(String(describing: failure))")
                continue
            }
        }
    }
}
