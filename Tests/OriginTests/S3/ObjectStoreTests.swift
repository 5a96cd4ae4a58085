// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite("Originals from a store that speaks S3")
struct ObjectStoreTests {
    private static let keys = ReferenceSignature(accessKey: "test:tester", secret: "testing/+=")

    /// A store that checks each signature with a computation of its own.
    private static func store(
        _ script: @escaping @Sendable (Peer) -> Void = {
            $0.answer(fields: ["ETag: \"1\""], body: "abc".utf8)
        }
    ) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            guard let refusal = keys.refusal(of: peer.head) else { return script(peer) }
            peer.answer("403 Forbidden", body: "<Error><Code>\(refusal)</Code></Error>".utf8)
        }
    }

    private func configured(
        _ origin: ScriptedOrigin, token: String = "", secret: String = keys.secret
    ) throws -> ObjectStore {
        ObjectStore(
            endpoint: try #require(ObjectStore.endpoint("http://127.0.0.1:\(origin.port)")),
            region: "us-east-1",
            style: .path, buckets: ["media"],
            credentials: StoreCredentials(
                accessKey: Self.keys.accessKey, secretKey: secret, sessionToken: token))
    }

    /// With a policy that permits no internal address: the store is exempt, because the settings name it.
    private func ask<Value>(
        _ store: ObjectStore?, _ body: (Downloader) async throws -> Value
    ) async throws -> Value {
        try await withDownloader(
            {
                $0.policy = SourcePolicy()
                $0.store = store
            }, body)
    }

    private func object(_ key: String) throws -> SourceURL { try SourceURL.parse("s3://media/\(key)") }

    @Test(arguments: [
        "a.jpg", "a/b/c.png", "a b+c&d=e.jpg", "100%25.jpg", "\u{E9}\u{4E2D}.jpg", "a//b", "~a*b(c)'d!.jpg",
        "a;b,c:d@e$f",
        "%3Fa%23b", "a%2520b", "trailing/",
    ])
    func `the store takes the signature of any key`(key: String) async throws {
        let origin = Self.store()
        let url = try object(key)
        let reply = try await ask(try configured(origin)) { try await $0.fetch(url) }
        #expect(reply.status == 200, "\(reply.words)")
        #expect(reply.payload?.length == 3)
        #expect(reply.finalURL == url)
        #expect(origin.heads[0].hasPrefix("GET /media\(url.target) HTTP/1.1\r\n"))
    }

    @Test func `temporary credentials send their token, signed`() async throws {
        let origin = Self.store()
        let url = try object("a")
        let reply = try await ask(try configured(origin, token: "the/token==")) { try await $0.fetch(url) }
        #expect(reply.status == 200, "\(reply.words)")
        #expect(origin.heads[0].contains("x-amz-security-token: the/token==\r\n"))
    }

    @Test func `a wrong secret is the store's 403, in its words`() async throws {
        let origin = Self.store()
        let url = try object("a")
        let reply = try await ask(try configured(origin, secret: "wrong")) { try await $0.fetch(url) }
        #expect(reply.status == 403 && reply.words == "SignatureDoesNotMatch" && reply.payload == nil)
        #expect(reply.isKeyRefused)
    }

    @Test func `without credentials a request is not signed`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        var store = try configured(origin)
        store.credentials = nil
        let url = try object("a")
        #expect(try await ask(store) { try await $0.fetch(url) }.status == 200)
        #expect(!origin.heads[0].lowercased().contains("authorization") && !origin.heads[0].contains("x-amz"))
    }

    @Test func `a refusal says nothing of the object while the platform has given no key`() async throws {
        let origin = Self.store()
        let url = try object("a")
        var store = try configured(origin)
        let (given, keys) = (try #require(store.credentials), RenewedCredentials())
        (store.credentials, store.renewed) = (nil, keys)
        let replies = try await ask(store) { downloader -> [DownloadReply] in
            let before = try await downloader.fetch(url)
            keys.replace(with: given)
            return [before, try await downloader.fetch(url)]
        }
        #expect(replies[0].status == 403 && replies[0].words == "AccessDenied" && replies[0].isKeyRefused)
        #expect(replies[1].status == 200 && !replies[1].isKeyRefused)
    }

    @Test(arguments: [
        ("400 Bad Request", "ExpiredToken", true), ("403 Forbidden", "InvalidAccessKeyId", true),
        ("403 Forbidden", "AccessDenied", false), ("403 Forbidden", "RequestTimeTooSkewed", false),
        ("404 Not Found", "ExpiredToken", false),
    ])
    func `keys of the platform that have ended are noted, until there are others`(
        status: String, code: String, isNoted: Bool
    ) async throws {
        let origin = ScriptedOrigin { $0.answer(status, body: "<Error><Code>\(code)</Code></Error>".utf8) }
        let url = try object("a")
        var store = try configured(origin)
        let (given, keys) = (try #require(store.credentials), RenewedCredentials())
        (store.credentials, store.renewed) = (nil, keys)
        keys.replace(with: given)
        _ = try await ask(store) { try await $0.fetch(url) }
        #expect(keys.refusal == (isNoted ? code : nil))
        #expect(!keys.replace(with: given) && keys.refusal == nil)
        #expect(keys.replace(with: StoreCredentials(accessKey: "other", secretKey: given.secretKey)))
    }

    @Test func `a bucket in another region says nothing of the object`() async throws {
        let origin = ScriptedOrigin {
            $0.answer(
                "301 Moved Permanently", fields: ["x-amz-bucket-region: eu-west-1"],
                body: "<Error><Code>PermanentRedirect</Code></Error>".utf8)
        }
        let url = try object("a")
        let reply = try await ask(try configured(origin)) { try await $0.fetch(url) }
        #expect(reply.status == 301 && reply.words == "PermanentRedirect" && reply.isKeyRefused)
    }

    @Test(arguments: [false, true])
    func `a refusal is of the object where the request is signed, or meant to be unsigned`(
        isSigned: Bool
    ) async throws {
        let origin = ScriptedOrigin {
            $0.answer("403 Forbidden", body: "<Error><Code>AccessDenied</Code></Error>".utf8)
        }
        let url = try object("a")
        var store = try configured(origin)
        if !isSigned { store.credentials = nil }
        let reply = try await ask(store) { try await $0.fetch(url) }
        #expect(reply.status == 403 && !reply.isKeyRefused)
    }

    @Test func `a known validator makes the request conditional`() async throws {
        let origin = Self.store { peer in
            if peer.has("If-None-Match: \"1\"") {
                peer.answer("304 Not Modified")
            } else {
                peer.answer(fields: ["ETag: \"1\""], body: "abc".utf8)
            }
        }
        let url = try object("a")
        let reply = try await ask(try configured(origin)) {
            try await $0.fetch(Download(url: url, ifNoneMatch: "\"1\""))
        }
        #expect(reply.status == 304)
    }

    @Test func `the rest of a broken body is asked for by another signature`() async throws {
        let origin = Self.store { peer in
            if peer.has("Range: bytes=2-") {
                peer.answer(
                    "206 Partial Content", fields: ["Content-Range: bytes 2-5/6", "ETag: \"1\""],
                    body: "cdef".utf8)
            } else {
                peer.send(
                    "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nAccept-Ranges: bytes\r\nContent-Length: 6\r\n\r\nab")
                peer.close()
            }
        }
        let url = try object("a")
        let reply = try await ask(try configured(origin)) { try await $0.fetch(url) }
        #expect(reply.payload?.length == 6 && origin.heads.count == 2)
    }

    @Test func `a redirect is followed without the credentials, and by the rules for all`() async throws {
        let other = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let origin = Self.store { peer in
            peer.answer("307 Temporary Redirect", fields: ["Location: http://127.0.0.1:\(other.port)/x"])
        }
        let url = try object("a")
        let store = try configured(origin)
        let reply = try await withDownloader({ $0.store = store }) { try await $0.fetch(url) }
        #expect(reply.status == 200 && reply.hops.count == 1)
        let head = other.heads[0].lowercased()
        #expect(!head.contains("authorization") && !head.contains("x-amz"))
        // A redirect to this machine is not followed while internal addresses are forbidden.
        await #expect(throws: FailedDownload.self) { try await ask(store) { try await $0.fetch(url) } }
        #expect(other.heads.count == 1)
        // A redirect to the store's own address is not followed either.
        let circle = Self.store {
            $0.answer("307 Temporary Redirect", fields: ["Location: http://127.0.0.1:\($0.port)/x"])
        }
        let again = try configured(circle)
        await #expect(throws: FailedDownload.self) { try await ask(again) { try await $0.fetch(url) } }
    }

    @Test(arguments: [true, false])
    func `a refusal behind a store's redirect is of the object only where no key is wanted`(
        isKeyed: Bool
    ) async throws {
        let other = ScriptedOrigin {
            $0.answer("403 Forbidden", body: "<Error><Code>AccessDenied</Code></Error>".utf8)
        }
        let origin = ScriptedOrigin {
            $0.answer("307 Temporary Redirect", fields: ["Location: \(other.url("/x").absolute)"])
        }
        var store = try configured(origin)
        if !isKeyed { store.credentials = nil }
        let url = try object("a")
        let reply = try await withDownloader { [store] in
            $0.store = store
        } _: {
            try await $0.fetch(url)
        }
        #expect(reply.status == 403 && reply.hops.count == 1 && reply.isKeyRefused == isKeyed)
    }

    @Test func `a web URL of the store's address is closed, whatever connection is kept`() async throws {
        let origin = Self.store()
        let (object, web) = (try object("a"), try SourceURL.parse("http://127.0.0.1:\(origin.port)/media/a"))
        let (status, failure) = try await ask(try configured(origin)) { downloader in
            (try await downloader.fetch(object).status, await downloader.failure(web))
        }
        #expect(status == 200 && failure != nil)
        #expect(origin.heads.count == 1)
    }

    @Test func `other buckets, denied URLs and a store that is not set up are refused`() async throws {
        let origin = Self.store()
        var store = try configured(origin)
        store.buckets = ["other"]
        let url = try object("a")
        for store in [store, nil] {
            await #expect(throws: FailedDownload(.refused(by: .notListed))) {
                try await ask(store) { try await $0.fetch(url) }
            }
        }
        let (held, closed) = (try configured(origin), try object("private/a"))
        let refusals = try await withDownloader({
            $0.store = held
            $0.policy.deniedURLs = [URLPrefix("s3://media/private/")].compactMap(\.self)
        }) { downloader in [downloader.refusal(of: closed), downloader.refusal(of: url)] }
        #expect(refusals == [.url, nil])
        #expect(origin.heads.isEmpty)
    }

    @Test func `a store that is away has failed under the bucket's name`() async throws {
        let store = ObjectStore(
            endpoint: try #require(ObjectStore.endpoint("http://127.0.0.1:1")), region: "us-east-1",
            style: .path,
            buckets: ["media"])
        let url = try object("a")
        await #expect {
            try await ask(store) { try await $0.fetch(url) }
        } throws: { error in
            (error as? FailedDownload)?.reason == .cannotConnect && (error as? FailedDownload)?.place == url
        }
    }

    @Test func `a store whose name without dots has no address is away, and not refused`() async throws {
        // A label may have at most 63 bytes (RFC 1035 §2.3.4), so the look-up fails without asking a server.
        let name = String(repeating: "a", count: 64)
        let store = ObjectStore(
            endpoint: SourceURL(scheme: .http, host: name, port: 9_000, target: "/"), region: "us-east-1",
            style: .path, buckets: ["media"])
        let url = try object("a")
        #expect(try await ask(store) { await $0.failure(url) } == .nameNotResolved)
    }

    @Test func `a bucket's name stands in the path or in the host`() throws {
        var store = ObjectStore(
            endpoint: try #require(ObjectStore.endpoint("https://store.example:9000/")), region: "r",
            style: .path,
            buckets: ["media"])
        let url = try object("a%20b")
        #expect(store.place(of: url).absolute == "https://store.example:9000/media/a%20b")
        store.style = .host
        #expect(store.place(of: url).absolute == "https://media.store.example:9000/a%20b")
    }

    @Test(arguments: [
        "", "store.example", "ftp://a/", "s3://a/b", "https://a/b", "https://a?b", "https://u@a/",
        "file://a/b",
    ])
    func `an endpoint is scheme, host and port alone`(text: String) {
        #expect(ObjectStore.endpoint(text) == nil)
    }
}
