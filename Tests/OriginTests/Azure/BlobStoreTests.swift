// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite("Originals from Azure Blob Storage")
struct BlobStoreTests {
    private static let keys = ReferenceSharedKey(account: "myaccount", key: "dGVzdGluZy8rPQ==")
    private static let token = "sv=2022-11-02&sr=c&sp=r&sig=c2VjcmV0LXNlY3JldA%3D%3D"

    /// A store that checks each signature with a computation of its own.
    private static func store(
        _ script: @escaping @Sendable (Peer) -> Void = {
            $0.answer(fields: ["ETag: \"0x1\""], body: "abc".utf8)
        }
    ) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            guard let refusal = keys.refusal(of: peer.head) else { return script(peer) }
            peer.answer("403 Forbidden", body: "\u{FEFF}<Error><Code>\(refusal)</Code></Error>".utf8)
        }
    }

    private func configured(
        _ origin: ScriptedOrigin, _ access: BlobStore.Access? = nil, path: String = ""
    ) throws -> BlobStore {
        BlobStore(
            endpoint: try #require(BlobStore.endpoint("http://127.0.0.1:\(origin.port)\(path)")),
            containers: ["media"],
            access: try access
                ?? .key(#require(SharedKey(account: Self.keys.account, base64: Self.keys.key))))
    }

    private func tokened(_ origin: ScriptedOrigin) throws -> BlobStore {
        try configured(origin, .token(#require(AccessToken(Self.token))))
    }

    /// With a policy that permits no internal address: the store is exempt, because the settings name it.
    private func ask<Value>(
        _ store: BlobStore?, _ body: (Downloader) async throws -> Value
    ) async throws -> Value {
        try await withDownloader(
            {
                $0.policy = SourcePolicy()
                $0.blobs = store
            }, body)
    }

    private func blob(_ name: String) throws -> SourceURL { try SourceURL.parse("azure://media/\(name)") }

    @Test(arguments: [
        "a.jpg", "a/b/c.png", "a b+c&d=e.jpg", "100%25.jpg", "\u{E9}\u{4E2D}.jpg", "a//b", "~a*b(c)'d!.jpg",
        "a;b,c:d@e$f", "%3Fa%23b", "a%2520b", "trailing/",
    ])
    func `the service takes the signature of any name`(name: String) async throws {
        let origin = Self.store()
        let url = try blob(name)
        let reply = try await ask(try configured(origin)) { try await $0.fetch(url) }
        #expect(reply.status == 200, "\(reply.words)")
        #expect(reply.payload?.length == 3 && reply.finalURL == url)
        #expect(origin.heads[0].hasPrefix("GET /media\(url.target) HTTP/1.1\r\n"))
    }

    @Test func `an emulator has the account's name in the path too`() async throws {
        let origin = Self.store()
        let url = try blob("a")
        let reply = try await ask(try configured(origin, path: "/myaccount/")) { try await $0.fetch(url) }
        #expect(reply.status == 200, "\(reply.words)")
        #expect(origin.heads[0].hasPrefix("GET /myaccount/media/a HTTP/1.1\r\n"))
    }

    @Test func `the list of a container is signed with its parameters`() async throws {
        let origin = Self.store()
        let reply = try await ask(try configured(origin)) {
            try await $0.fetch(Download(url: BlobStore.list(of: "media")))
        }
        #expect(reply.status == 200, "\(reply.words)")
    }

    @Test func `a wrong key is the service's 403, in its words`() async throws {
        let origin = Self.store()
        let url = try blob("a")
        let other = try #require(SharedKey(account: Self.keys.account, base64: "b3RoZXI="))
        let reply = try await ask(try configured(origin, .key(other))) { try await $0.fetch(url) }
        #expect(reply.status == 403 && reply.words == "AuthenticationFailed" && reply.payload == nil)
        #expect(reply.isKeyRefused)
    }

    @Test(arguments: [
        ("403 Forbidden", "InsufficientAccountPermissions", true),
        ("409 Public access is not permitted", "PublicAccessNotPermitted", false),
        ("401 Unauthorized", "NoAuthenticationInformation", false), ("409 Conflict", "BlobArchived", false),
    ])
    func `what is closed to strangers is refused, and an account that is not read says nothing of the blob`(
        status: String, code: String, isOfKey: Bool
    ) async throws {
        let origin = ScriptedOrigin { $0.answer(status, body: "<Error><Code>\(code)</Code></Error>".utf8) }
        let url = try blob("a")
        let reply = try await ask(try configured(origin, .anybody)) { try await $0.fetch(url) }
        #expect(reply.words == code && reply.isKeyRefused == isOfKey)
    }

    @Test func `without a key or a token a request is not signed`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let url = try blob("a")
        let store = try configured(origin, .anybody)
        #expect(try await ask(store) { try await $0.fetch(url) }.status == 200)
        let head = origin.heads[0].lowercased()
        #expect(!head.contains("authorization") && head.contains("\r\nx-ms-version: 20"))
        #expect(head.hasPrefix("get /media/a http/1.1"))
    }

    @Test func `conditions are signed along`() async throws {
        let origin = Self.store { peer in
            if peer.has("If-None-Match: \"0x1\""),
                peer.has("If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT")
            {
                peer.answer("304 Not Modified")
            } else {
                peer.answer(body: "abc".utf8)
            }
        }
        let url = try blob("a")
        let reply = try await ask(try configured(origin)) {
            try await $0.fetch(
                Download(
                    url: url, ifNoneMatch: "\"0x1\"", ifModifiedSince: "Sun, 06 Nov 1994 08:49:37 GMT"))
        }
        #expect(reply.status == 304, "\(reply.words)")
        // A field that is not sent is not signed.
        let odd = try await ask(try configured(origin)) {
            try await $0.fetch(Download(url: url, ifNoneMatch: "\"a\u{1}\""))
        }
        #expect(odd.status == 200, "\(odd.words)")
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
        let url = try blob("a")
        let reply = try await ask(try configured(origin)) { try await $0.fetch(url) }
        #expect(reply.payload?.length == 6 && origin.heads.count == 2)
    }

    @Test func `a token is sent, and told nowhere`() async throws {
        let origin = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let url = try blob("a b")
        let store = try tokened(origin)
        let (reply, list) = try await ask(store) { downloader in
            (
                try await downloader.fetch(url),
                try await downloader.fetch(Download(url: BlobStore.list(of: "media")))
            )
        }
        #expect(reply.status == 200 && list.status == 200 && reply.finalURL == url)
        #expect(origin.heads[0].hasPrefix("GET /media/a%20b?\(Self.token) HTTP/1.1\r\n"))
        #expect(
            origin.heads[1].hasPrefix(
                "GET /media?restype=container&comp=list&maxresults=1&\(Self.token) HTTP/1.1\r\n"))
        #expect(!origin.heads[0].lowercased().contains("authorization"))
        #expect(!"\(reply)".contains("sig=") && !"\(store)".contains("c2VjcmV0"))
    }

    @Test func `a redirect is followed without the token or the signature, and by the rules for all`()
        async throws
    {
        let other = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let away = "Location: http://127.0.0.1:\(other.port)/x"
        let url = try blob("a")
        let signed = Self.store { $0.answer("307 Temporary Redirect", fields: [away]) }
        let asked = ScriptedOrigin { $0.answer("307 Temporary Redirect", fields: [away]) }
        for store in [try configured(signed), try tokened(asked)] {
            let reply = try await withDownloader({ $0.blobs = store }) { try await $0.fetch(url) }
            #expect(reply.status == 200 && reply.hops.count == 1)
            // A redirect to this machine is not followed while internal addresses are forbidden.
            await #expect(throws: FailedDownload.self) { try await ask(store) { try await $0.fetch(url) } }
        }
        #expect(other.heads.count == 2)
        for head in other.heads.map({ $0.lowercased() }) {
            #expect(head.hasPrefix("get /x http/1.1"))
            #expect(!head.contains("authorization") && !head.contains("x-ms") && !head.contains("sig="))
        }
    }

    @Test(arguments: ["/media/a", "", "?b"])
    func `a redirect to a place beside it has no token`(location: String) async throws {
        let origin = ScriptedOrigin { peer in
            if peer.head.contains("sig=") {
                peer.answer("307 Temporary Redirect", fields: ["Location: \(location)"])
            } else {
                peer.answer(body: "abc".utf8)
            }
        }
        let (store, url) = (try tokened(origin), try blob("a"))
        let failure = try await withDownloader({ $0.blobs = store }) { await $0.failure(url) }
        #expect(origin.heads.first?.contains("sig=") == true)
        // A redirect that is not followed fails.
        #expect(origin.heads.count == 2 || failure != nil)
        #expect(origin.heads.dropFirst().allSatisfy { !$0.contains("sig=") })
    }

    @Test func `a service that repeats the token makes nobody show it`() async throws {
        let other = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        let origin = ScriptedOrigin { peer in
            guard peer.target.hasPrefix("/media/away") else {
                return peer.answer(
                    "403 Forbidden",
                    body: "<Error><Code>No</Code><Message>\(peer.target)</Message></Error>".utf8)
            }
            peer.answer(
                "307 Temporary Redirect", fields: ["Location: http://127.0.0.1:\(other.port)\(peer.target)"])
        }
        let (store, refused, away) = (try tokened(origin), try blob("a"), try blob("away"))
        let reply = try await withDownloader({ $0.blobs = store }) { try await $0.fetch(refused) }
        await #expect {
            try await withDownloader({ $0.blobs = store }) { try await $0.fetch(away) }
        } throws: { error in
            let failure = error as? FailedDownload
            return failure?.reason == .brokenReply(.badRedirect) && failure?.place == away
        }
        #expect(reply.status == 403 && reply.words.isEmpty && other.heads.isEmpty)
    }

    @Test func `a web URL of the service's address is closed, whatever connection is kept`() async throws {
        let origin = Self.store()
        let (blob, web) = (try blob("a"), try SourceURL.parse("http://127.0.0.1:\(origin.port)/media/a"))
        let (status, failure) = try await ask(try configured(origin)) { downloader in
            (try await downloader.fetch(blob).status, await downloader.failure(web))
        }
        #expect(status == 200 && failure != nil)
        #expect(origin.heads.count == 1)
    }

    @Test func `other containers, denied URLs and a service that is not set up are refused`() async throws {
        let origin = Self.store()
        var store = try configured(origin)
        store.containers = ["other"]
        let url = try blob("a")
        for store in [store, nil] {
            await #expect(throws: FailedDownload(.refused(by: .notListed))) {
                try await ask(store) { try await $0.fetch(url) }
            }
        }
        let (held, closed) = (try configured(origin), try blob("private/a"))
        let bucket = try SourceURL.parse("s3://media/a")
        let refusals = try await withDownloader({
            $0.blobs = held
            $0.policy.deniedURLs = [URLPrefix("azure://media/private/")].compactMap(\.self)
        }) { downloader in [closed, url, bucket].map { downloader.refusal(of: $0) } }
        #expect(refusals == [.url, nil, .notListed])
        #expect(origin.heads.isEmpty)
    }

    @Test func `a service that is away has failed under the container's name`() async throws {
        let store = BlobStore(
            endpoint: try #require(BlobStore.endpoint("http://127.0.0.1:1")), containers: ["media"])
        let url = try blob("a")
        await #expect {
            try await ask(store) { try await $0.fetch(url) }
        } throws: { error in
            (error as? FailedDownload)?.reason == .cannotConnect && (error as? FailedDownload)?.place == url
        }
    }
}
