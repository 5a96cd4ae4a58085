// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Origin
import SourceURLs
import Testing

@Suite("Azure's Shared Key, and tokens in its place")
struct SharedKeyTests {
    private static let date = ("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT")
    private static let version = ("x-ms-version", "2015-02-21")

    /// The key that all of Microsoft's emulators have.
    private static let emulatorKey =
        "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

    private func key(_ account: String = "myaccount", _ base64: String = "c2VjcmV0") throws -> SharedKey {
        try #require(SharedKey(account: account, base64: base64))
    }

    private func fields(_ pairs: [(String, String)]) -> [Fields.Field] {
        pairs.map { Fields.Field($0.0, $0.1) }
    }

    /// The examples in Microsoft's document, and the rules that it states besides them.
    @Test(
        arguments: [
            (
                "GET", "/mycontainer?restype=container&comp=metadata&timeout=20", [date, version],
                "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20"
            ),
            (
                "PUT", "/mycontainer?restype=container&timeout=30",
                [version, ("Content-Length", "0"), ("X-Ms-Date", date.1)],
                "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n/myaccount/mycontainer\nrestype:container\ntimeout:30"
            ),
            (
                "GET",
                "/mycontainer?restype=container&comp=list&include=snapshots&include=metadata&include=uncommittedblobs",
                [],
                "GET\n\n\n\n\n\n\n\n\n\n\n\n/myaccount/mycontainer\ncomp:list\ninclude:metadata,snapshots,uncommittedblobs\nrestype:container"
            ),
            ("GET", "/mycontainer/myblob", [], "GET\n\n\n\n\n\n\n\n\n\n\n\n/myaccount/mycontainer/myblob"),
            // Each field in its place.
            (
                "GET", "/c/a%20b",
                [
                    ("Range", "bytes=2-"), ("If-Unmodified-Since", "u"), ("If-None-Match", "\"n\""),
                    ("If-Match", "m"), ("If-Modified-Since", "s"), ("Date", "d"), ("Content-Type", "t"),
                    ("Content-MD5", "5"), ("Content-Length", "7"), ("Content-Language", "l"),
                    ("Content-Encoding", "e"), ("If-Range", "not covered"), ("X-Ms-Meta", " a \t b "),
                ],
                "GET\ne\nl\n7\n5\nt\nd\ns\nm\n\"n\"\nu\nbytes=2-\nx-ms-meta:a b\n/myaccount/c/a%20b"
            ),
            // Names of parameters in lower case, with escapes decoded.
            ("GET", "/c?B=%2f%2B&a", [], "GET\n\n\n\n\n\n\n\n\n\n\n\n/myaccount/c\na:\nb:/+"),
        ] as [(String, String, [(String, String)], String)])
    func `the string to sign`(method: String, target: String, given: [(String, String)], text: String) throws
    {
        #expect(try key().text(method: method, target: target, fields: fields(given)) == text)
    }

    /// By `openssl dgst -sha256 -mac HMAC -macopt hexkey:…`, with the emulators' key.
    @Test func `the signature is base64 of the code by the decoded key`() throws {
        let value = try key(
            "devstoreaccount1", Self.emulatorKey
        ).authorization(
            target: "/devstoreaccount1/media/a.jpg", fields: fields([Self.date, Self.version]))
        #expect(value == "SharedKey devstoreaccount1:qTABsDocRxEFPWhGt8yzDygmJyV1b89B2NqpBh5X7y0=")
    }

    /// Sent by Microsoft's SDK for Python (azure-storage-blob 12.31.1) to these endpoints, for names of blobs that need escapes.
    @Test(
        arguments: [
            (
                "devstoreaccount1", "GET", "/devstoreaccount1/media/a%20b%2Bc%26d%3De.jpg",
                [
                    ("x-ms-range", "bytes=0-33554431"),
                    ("x-ms-client-request-id", "6e732d7c-e942-11f1-9a88-02fc00000001"),
                ], "Tnhu5O7iIypDAwuIk2YU2KjbB5ycp61KxeVXUErBt9k="
            ),
            (
                "shopmedia", "HEAD", "/media/~a%2Ab%28c%29%27%C3%A9%21.jpg",
                [
                    ("If-None-Match", "\"0x1\""),
                    ("x-ms-client-request-id", "6e739802-e942-11f1-9a88-02fc00000001"),
                ], "Jyo3LW6a42z4VWoYbZZmd7FCQSrZ0eWRKz32PFSWZMo="
            ),
            (
                "shopmedia", "GET", "/media?restype=container&comp=list&maxresults=1",
                [("x-ms-client-request-id", "6e73b1b6-e942-11f1-9a88-02fc00000001")],
                "90bEh+aBSMxsaKaDPMIz5kyfuBbEoWQSoBrtjmgKpi8="
            ),
        ] as [(String, String, String, [(String, String)], String)])
    func `the signatures are those of Microsoft's own client`(
        account: String, method: String, target: String, given: [(String, String)], signature: String
    ) throws {
        let key = try key(account, Self.emulatorKey)
        let value = key.authorization(
            method: method, target: target,
            fields: fields(
                given + [
                    ("x-ms-version", "2026-10-06"), ("Accept", "application/xml"),
                    ("x-ms-date", "Thu, 26 Nov 2026 02:38:15 GMT"),
                ]))
        #expect(value == "SharedKey \(account):\(signature)")
    }

    @Test(arguments: ["", "no base64!", "YQ"]) func `a key is base64`(text: String) {
        #expect(SharedKey(account: "a", base64: text) == nil)
    }

    @Test(arguments: [
        (
            "?sv=2022-11-02&sr=c&sig=abcdefgh%2bij%3d&sp=r",
            "sv=2022-11-02&sr=c&sig=abcdefgh%2Bij%3D&sp=r" as String?
        ),
        ("sig=abcdefgh", "sig=abcdefgh"), ("sig=short", nil), ("sv=1", nil), ("", nil), ("?", nil),
        ("https://a/?sig=abcdefgh", nil), ("sig=abcdefgh#a", nil), ("a\\b&sig=abcdefgh", nil),
        ("AccountName=a;sig=abcdefgh", nil),
    ])
    func `a token is a query with a signature`(text: String, query: String?) {
        #expect(AccessToken(text)?.query == query)
    }

    @Test func `neither prints itself`() throws {
        let token = try #require(AccessToken("sv=1&sig=hidden-signature"))
        let key = try key()
        #expect(!"\(token)".contains("hidden") && "\(key)" == "key")
        #expect(token.isShown(in: "/a?sig=hidden-s") && !token.isShown(in: "/a?sv=1"))
        let escaped = try #require(AccessToken("sig=a%2Bb%2fcdefgh"))
        #expect(escaped.isShown(in: "sig=a+b/cdef") && escaped.isShown(in: "sig=a%2Bb%2F"))
        #expect(escaped.isShown(in: "sig=a%2bb%2fcdef") && escaped.isShown(in: "sig%3Da%252Bb%252Fcdef"))
        #expect(!escaped.isShown(in: "sig=a%2Cb%2fcdef"))
    }

    @Test(arguments: [
        ("https://a.blob.core.windows.net", "https://a.blob.core.windows.net/media/x"),
        ("http://127.0.0.1:10000/devstoreaccount1/", "http://127.0.0.1:10000/devstoreaccount1/media/x"),
    ])
    func `a blob lies below the endpoint, and below the container's name`(endpoint: String, place: String)
        throws
    {
        let store = BlobStore(endpoint: try #require(BlobStore.endpoint(endpoint)), containers: ["media"])
        #expect(store.place(of: try SourceURL.parse("azure://media/x")).absolute == place)
        let list = store.place(of: BlobStore.list(of: "media")).absolute
        #expect(list == place.dropLast(2) + "?restype=container&comp=list&maxresults=1")
    }

    @Test(arguments: ["", "a.blob.core.windows.net", "ftp://a/", "azure://a/b", "https://a/?sv=1&sig=2"])
    func `an endpoint has no query`(text: String) { #expect(BlobStore.endpoint(text) == nil) }
}
