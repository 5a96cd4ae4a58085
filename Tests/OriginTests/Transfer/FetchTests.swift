// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Glibc
import HTTPSemantics
import Kernel
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A fetch` {
    @Test func `brings the body into the file, with its length and digest`() async throws {
        let origin = ScriptedOrigin { $0.answer(fields: Self.fields, body: "abc".utf8) }
        let before = wallClock()
        let reply = try await withDownloader { try await $0.fetch(origin.url("/a/b?c=%20d")) }
        #expect(reply.status == 200)
        #expect(try reply.read() == Array("abc".utf8))
        // FIPS 180-2, appendix B.1.
        #expect(
            reply.payload?.digest.hex == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(reply.fields["etag"] == "\"v1\"")
        #expect(reply.fields["Last-Modified"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(reply.finalURL == origin.url("/a/b?c=%20d"))
        #expect(reply.hops.isEmpty)
        #expect(reply.requestTime >= before && reply.responseTime >= reply.requestTime)
        #expect(
            reply.timing.connect <= reply.timing.firstByte && reply.timing.firstByte <= reply.timing.total)
    }

    private static var fields: [String] { ["ETag: \"v1\"", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"] }

    @Test func `asks for pictures, uncompressed, under its own name, and says nothing more`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "x".utf8) }
        _ = try await withDownloader {
            $0.userAgent = "Pictor/test"
        } _: {
            try await $0.fetch(origin.url("/p?q=1"))
        }
        let lines = try #require(origin.heads.first).split(separator: "\r\n").map(String.init)
        #expect(
            lines == [
                "GET /p?q=1 HTTP/1.1", "Host: 127.0.0.1:\(origin.port)", "User-Agent: Pictor/test",
                "Accept: image/*,*/*;q=0.8", "Accept-Encoding: identity",
            ])
    }

    @Test func `marks each hop by the URL that was asked for, where it is told to`() async throws {
        let origin = ScriptedOrigin { peer in
            if peer.head.hasPrefix("GET /old ") {
                peer.answer("302 Found", fields: ["Location: /new"])
            } else {
                peer.answer(body: "x".utf8)
            }
        }
        let asked = origin.url("/old")
        _ = try await withDownloader {
            $0.marksLoops = true
        } _: {
            try await $0.fetch(asked)
        }
        #expect(origin.heads.count == 2)
        for head in origin.heads {
            #expect(head.contains("\r\nCDN-Loop: \(LoopMark.text(for: asked))"), "\(head)")
        }
    }

    @Test(arguments: [["cookie", "x-tenant"], ["cookie"], []])
    func `with fields of a client asks only where all of them are passed`(passed: [String]) async throws {
        let origin = ScriptedOrigin { $0.answer(body: "x".utf8) }
        let place = try #require(OriginProfile.Place(origin.url("/").absolute))
        var download = Download(url: origin.url())
        download.clientFields = ClientFields(
            [.init("Cookie", "a=1"), .init("X-Tenant", "b")], isForAll: false
        ) { _ in
            "c"
        }
        let asked = download
        let failure = try await withDownloader {
            var profile = OriginProfile("shop", at: [place])
            profile.passed = passed
            $0.profiles = [profile]
        } _: { downloader -> DownloadFailure? in
            do throws(FailedDownload) {
                _ = try await downloader.fetch(asked)
                return nil
            } catch {
                return error.reason
            }
        }
        // An answer to a request without one of the fields would not belong to the key.
        let expected: DownloadFailure? = passed.count == 2 ? nil : .overloaded
        #expect(failure == expected)
        #expect(origin.heads.count == (passed.count == 2 ? 1 : 0))
    }

    @Test func `that is refused for a field of the client has none of an earlier fetch's words`() async throws
    {
        let origin = ScriptedOrigin { $0.close() }
        let broken = Download(url: origin.url())
        var refused = broken
        refused.clientFields = ClientFields([.init("Cookie", "a=1")], isForAll: false) { _ in "c" }
        let asked = [broken, refused]
        let words = try await withDownloader { _ in
        } _: { downloader -> [String] in
            var words: [String] = []
            for download in asked {
                do throws(FailedDownload) { _ = try await downloader.fetch(download) } catch {
                    words.append(error.words)
                }
            }
            return words
        }
        #expect(words.count == 2 && words.first?.isEmpty == false && words.last?.isEmpty == true)
    }

    @Test(arguments: [0, 1, 16_384, 65_535, 65_536, 65_537, 1_000_000])
    func `keeps bodies of any size whole`(size: Int) async throws {
        let origin = ScriptedOrigin { $0.answer(body: pattern(size)) }
        let reply = try await withDownloader { try await $0.fetch(origin.url()) }
        #expect(try reply.read() == pattern(size))
    }

    @Test func `reads a chunked body and ignores its trailers`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: ETag\r\n\r\n")
            $0.send("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nETag: \"trailer\"\r\n\r\n")
        }
        let reply = try await withDownloader { try await $0.fetch(origin.url()) }
        #expect(try reply.read() == Array("abcde".utf8))
        #expect(reply.fields["etag"] == nil)
    }

    @Test func `reads a body that ends with the connection`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.0 200 OK\r\nContent-Type: image/png\r\n\r\nabc")
            $0.close()
        }
        let reply = try await withDownloader { try await $0.fetch(origin.url()) }
        #expect(try reply.read() == Array("abc".utf8))
    }

    @Test func `takes the fields of the final response and not of interim ones`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 103 Early Hints\r\nETag: \"early\"\r\nLink: </x>\r\n\r\n")
            $0.answer(fields: ["ETag: \"final\""], body: "abc".utf8)
        }
        let reply = try await withDownloader { try await $0.fetch(origin.url()) }
        #expect(reply.fields.values("etag") == ["\"final\""])
        #expect(reply.fields["link"] == nil)
    }

    @Test func `answers a condition's 304 without a body`() async throws {
        let origin = ScriptedOrigin { peer in
            let matches =
                peer.has("If-None-Match: W/\"v1\"")
                && peer.has("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT")
            if matches {
                peer.send("HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=5\r\n\r\n")
            } else {
                peer.answer(body: "x".utf8)
            }
        }
        let request = Download(
            url: origin.url(), ifNoneMatch: "W/\"v1\"", ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT")
        let reply = try await withDownloader { try await $0.fetch(request) }
        #expect(reply.status == 304)
        #expect(reply.payload == nil)
        #expect(reply.fields["cache-control"] == "max-age=5")
    }

    @Test func `does not believe a 304 that nobody asked for`() async throws {
        let origin = ScriptedOrigin { $0.send("HTTP/1.1 304 Not Modified\r\n\r\n") }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.notModifiedUnasked))
    }

    @Test func `sends no condition that would break its request apart`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "x".utf8) }
        let request = Download(url: origin.url(), ifNoneMatch: "\"a\"\r\nCookie: x", ifModifiedSince: "")
        _ = try await withDownloader { try await $0.fetch(request) }
        let head = try #require(origin.heads.first)
        #expect(!head.contains("Cookie") && !head.contains("If-"))
    }

    @Test(arguments: [
        ("404 Not Found", 404), ("410 Gone", 410), ("429 Too Many Requests", 429),
        ("206 Partial Content", 206),
        ("204 No Content", 204), ("500 Oops", 500), ("302 Found", 302), ("599 Whatever", 599),
    ])
    func `reports any other status with its fields and no body`(line: String, status: Int) async throws {
        let origin = ScriptedOrigin {
            $0.answer(line, fields: ["Retry-After: 7"], body: status == 204 ? [] : Array("no".utf8))
        }
        let reply = try await withDownloader { try await $0.fetch(origin.url()) }
        #expect(reply.status == status && reply.payload == nil)
        #expect(reply.fields["retry-after"] == "7")
    }

    @Test func `takes a 203 for the picture that it is`() async throws {
        let origin = ScriptedOrigin { $0.answer("203 Transformed", body: "abc".utf8) }
        let reply = try await withDownloader { try await $0.fetch(origin.url()) }
        #expect(reply.status == 203)
        #expect(try reply.read() == Array("abc".utf8))
    }

    @Test func `takes a 206 that is all of the picture for a 200`() async throws {
        for (range, status) in [
            ("bytes 0-2/3", 200), ("bytes 0-2/4", 206), ("bytes 1-3/4", 206), ("bytes 0-1/2", 206),
            ("bytes 0-2/*", 206), ("items 0-2/3", 206),
        ] {
            let origin = ScriptedOrigin {
                $0.answer(
                    "206 Partial Content", fields: ["Content-Range: \(range)", "ETag: \"1\""],
                    body: "abc".utf8)
            }
            let reply = try await withDownloader { try await $0.fetch(origin.url()) }
            #expect(reply.status == status && reply.fields["etag"] == "\"1\"", "\(range)")
            #expect(reply.payload?.length == (status == 200 ? 3 : nil), "\(range)")
        }
    }

    @Test func `reports a status even when its body never ends`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 404 Not Found\r\n\r\n")
            while $0.send(pattern(10_000)) {}
            $0.close()
        }
        let reply = try await withDownloader { try await $0.fetch(origin.url()) }
        #expect(reply.status == 404)
    }

    @Test(arguments: ["Content-Length: 100000", "Transfer-Encoding: chunked", "Connection: close"], [0, 50])
    func `reports a status without waiting for a body that does not come, or trickles`(
        framing: String, pause: Int32
    ) async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 404 Not Found\r\n\(framing)\r\n\r\n")
            if pause == 0 { return $0.waitForHangup() }
            while $0.send("1\r\nx\r\n"), !$0.hangsUp(within: pause) {}
            $0.close()
        }
        // If the downloader waited for the body, this limit would end the fetch. Other pauses may be longer.
        let reply = try await withDownloader {
            $0.totalTimeout = .seconds(20)
            $0.minimumRate = 0
        } _: {
            try await $0.fetch(origin.url())
        }
        #expect(reply.status == 404)
    }

    @Test func `reports a file that cannot be made`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "x".utf8) }
        let full = SystemError("open", code: 28)
        let makeFile = { @Sendable () throws(SystemError) -> OwnedDescriptor in throw full }
        let failure = try await withDownloader(makeFile: makeFile) { await $0.failure(origin.url()) }
        #expect(failure == .fileWrite(full))
    }

    @Test func `a file that cannot be written costs its keeping and not the answer`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "x".utf8) }
        let makeFile = { @Sendable () throws(SystemError) -> OwnedDescriptor in
            OwnedDescriptor(adopting: Glibc.open("/dev/null", O_RDONLY))
        }
        try await withDownloader(makeFile: makeFile) {
            let reply = try await $0.fetch(origin.url())
            #expect(try reply.read() == Array("x".utf8))
        }
    }
}
