// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HTTPSemantics
import Hashing
import Kernel
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite("Objects are written to a bucket and deleted there")
struct BucketWriterTests {
    private let bucket = StoreDouble()

    private func writer(
        secret: String = StoreDouble.keys.secret, endpoint: String? = nil,
        authorities: AuthorityBundle? = nil, silence: Int = 30, isOver: Bool = false
    ) throws -> BucketWriter {
        let store = ObjectStore(
            endpoint: try #require(ObjectStore.endpoint(endpoint ?? bucket.endpoint)), region: "us-east-1",
            style: .path, buckets: [StoreDouble.bucket],
            credentials: StoreCredentials(accessKey: StoreDouble.keys.accessKey, secretKey: secret))
        let writer = BucketWriter(
            store, bucket: StoreDouble.bucket, prefix: "a/b/", authorities: authorities,
            silence: silence, now: { Timestamp(seconds: 1_440_938_160) }, isOver: { isOver })
        return try #require(writer)
    }

    @Test func `what is written is there, byte for byte, and signed`() throws {
        let writer = try writer()
        let large = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try writer.put(large, as: "o/1")
        try writer.put([0, 13, 10, 0], as: "o/2")
        #expect(bucket.objects == ["a/b/o/1": large, "a/b/o/2": [0, 13, 10, 0]])
        #expect(bucket.refusals.isEmpty)
    }

    /// A short file is sent together with the head of its request, a long one piece by piece.
    @Test(arguments: [0, 1, 65_536, 65_537, 600_000])
    func `of a file so many bytes are written, and none of those behind`(length: Int) throws {
        let writer = try writer()
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let file = try MemoryFile.descriptor(of: .bytes(ImmutableBytes(bytes + [1, 2, 3])))
        for name in ["o/1", "o/2"] {
            try writer.put(.file(file, length: length), SHA256.digest(of: bytes), as: name)
        }
        try writer.put([9], as: "o/3")
        #expect(bucket.objects == ["a/b/o/1": bytes, "a/b/o/2": bytes, "a/b/o/3": [9]])
        #expect(bucket.refusals.isEmpty)
    }

    @Test(arguments: [1, 600_000])
    func `a file that is shorter than it was is not written`(length: Int) throws {
        let writer = try writer()
        let file = try MemoryFile.descriptor(of: .bytes(ImmutableBytes([UInt8](repeating: 1, count: length))))
        #expect(throws: TransferFailure.self) {
            try writer.put(.file(file, length: length + 70_000), SHA256.digest(of: []), as: "o/1")
        }
        #expect(bucket.objects.isEmpty)
        try writer.put([1], as: "o/1")
        #expect(bucket.objects == ["a/b/o/1": [1]])
    }

    @Test func `bytes of another digest are refused by the store`() throws {
        let writer = try writer()
        #expect {
            try writer.put(.bytes(ImmutableBytes([1])), SHA256.digest(of: [2]), as: "o/1")
        } throws: {
            ($0 as? TransferFailure)?.words == "status 403 (XAmzContentSHA256Mismatch: No.)"
        }
        #expect(bucket.objects.isEmpty)
    }

    @Test func `names are listed below the prefix, and only those`() throws {
        let writer = try writer()
        #expect(try writer.names(below: "r/1/") == [])
        bucket.objects = ["a/b/r/1/x": [], "a/b/r/12/x": [], "a/b/r/1/y": [], "r/1/z": []]
        #expect(try writer.names(below: "r/1/") == ["r/1/x", "r/1/y"])
        #expect(try writer.names(below: "r/1/", after: "r/1/x") == ["r/1/y"])
        #expect(try writer.names(below: "r/1/", after: "r/1/y") == [])
        #expect(bucket.refusals.isEmpty)
    }

    /// If such a name were deleted as it is listed, the request would name another object, or have no valid URL.
    @Test(arguments: ["../../o/1", "x?versionId=1", "with a space", "x%2Fy", "x&amp;y", "ä", "x#y"])
    func `a name that needs escapes is passed over`(name: String) throws {
        let writer = try writer()
        bucket.objects = ["a/b/r/1/x": [], "a/b/r/1/\(name)": []]
        #expect(try writer.names(below: "r/1/") == ["r/1/x"])
    }

    @Test func `an object is read as it is, and one that is missing is no failure`() throws {
        let writer = try writer()
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        bucket.objects = ["a/b/u/1": bytes]
        #expect(try writer.object("u/1") == bytes)
        #expect(try writer.object("u/2") == nil)
        #expect(bucket.refusals.isEmpty)
        bucket.behaviour = .refusing
        #expect(throws: TransferFailure.self) { _ = try writer.object("u/1") }
    }

    @Test(arguments: [
        ("400 Bad Request", "ExpiredToken", true), ("403 Forbidden", "InvalidAccessKeyId", true),
        ("403 Forbidden", "AccessDenied", false), ("404 Not Found", "ExpiredToken", false),
    ])
    func `keys of the platform that have ended are noted at each request`(
        status: String, code: String, isNoted: Bool
    ) throws {
        let origin = ScriptedOrigin { $0.answer(status, body: "<Error><Code>\(code)</Code></Error>".utf8) }
        var store = ObjectStore(
            endpoint: try #require(ObjectStore.endpoint("http://127.0.0.1:\(origin.port)")),
            region: "us-east-1", style: .path, buckets: [StoreDouble.bucket])
        let keys = RenewedCredentials()
        store.renewed = keys
        let opened = BucketWriter(
            store, bucket: StoreDouble.bucket, prefix: "", authorities: nil, silence: 30,
            now: { Timestamp(seconds: 1_440_938_160) }, isOver: { false })
        let writer = try #require(opened)
        let requests: [() throws -> Void] = [
            { try writer.put([1], as: "o/1") }, { try writer.delete("o/1") },
            { _ = try writer.object("o/1") }, { _ = try writer.names(below: "o/") },
        ]
        for request in requests {
            keys.replace(with: StoreCredentials(accessKey: "a", secretKey: "b"))
            try? request()
            #expect(keys.refusal == (isNoted ? code : nil))
        }
    }

    @Test func `what is deleted is gone, and what is missing is no failure`() throws {
        let writer = try writer()
        bucket.objects = ["a/b/o/1": [1]]
        try writer.delete("o/1")
        try writer.delete("o/1")
        #expect(bucket.objects.isEmpty)
    }

    @Test func `a refusal is a failure with the store's words`() throws {
        let wrong = try writer(secret: "another")
        #expect {
            try wrong.put([1], as: "o/1")
        } throws: {
            ($0 as? TransferFailure)?.words == "status 403 (SignatureDoesNotMatch: No.)"
        }
        bucket.behaviour = .full
        let right = try writer()
        #expect {
            try right.put([1], as: "o/1")
        } throws: {
            ($0 as? TransferFailure)?.words == "status 507 (QuotaExceeded: No.)"
        }
        bucket.behaviour = .well
        // The same handle still works.
        try right.put([1], as: "o/1")
        #expect(bucket.objects["a/b/o/1"] == [1])
    }

    @Test func `nobody there is a failure`() throws {
        let writer = try writer(endpoint: "http://127.0.0.1:1")
        #expect(throws: TransferFailure.self) { try writer.put([1], as: "o/1") }
    }

    /// libcurl keeps trailers in memory, with ten times their size.
    @Test func `an answer whose trailers do not end is cut off, and not by the deadline`() throws {
        let endless = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n")
            while $0.send("X: y\r\n") {}
            $0.close()
        }
        let writer = try writer(endpoint: "http://127.0.0.1:\(endless.port)")
        #expect {
            try writer.put([1], as: "o/1")
        } throws: {
            ($0 as? TransferFailure)?.isTimeout == false
        }
    }

    @Test(arguments: [10, 600_000], [false, true])
    func `a store that leaves each connection after a request is asked anew each time`(
        length: Int, byReset: Bool
    ) throws {
        let store = ScriptedOrigin { peer in
            if peer.predecessors == 0 { return peer.answer() }
            if byReset { peer.reset() } else { peer.close() }
        }
        let writer = try writer(endpoint: "http://127.0.0.1:\(store.port)")
        let bytes = [UInt8](repeating: 7, count: length)
        let file = try MemoryFile.descriptor(of: .bytes(ImmutableBytes(bytes)))
        for number in 0..<20 {
            try writer.put(.file(file, length: length), SHA256.digest(of: bytes), as: "o/\(number)")
        }
        #expect(store.accepted == 20)
    }

    @Test func `an object whose connection broke off is read anew, and not behind its beginning`() throws {
        let bytes = [UInt8](repeating: 7, count: 1_000)
        let store = ScriptedOrigin { peer in
            guard peer.predecessors == 1 else { return peer.answer(body: bytes) }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nabc")
            peer.reset()
        }
        let writer = try writer(endpoint: "http://127.0.0.1:\(store.port)")
        for name in ["o/1", "o/2"] { #expect(try writer.object(name) == bytes) }
        #expect(store.accepted == 2)
    }

    /// The server would answer over HTTP/2 only once it had three requests.
    @Test func `a store over TLS is asked over HTTP/1.1`() throws {
        let folder = TemporaryFolder()
        let files = try ServerCertificate(in: folder.path)
        let server = try MultiplexingServer(files, .breaksOff)
        let certificate = Array(try Data(contentsOf: URL(filePath: files.certificate)))
        let writer = try writer(
            endpoint: "https://127.0.0.1:\(server.url.port)", authorities: try AuthorityBundle(certificate))
        for name in ["o/1", "o/2"] { #expect(try writer.object(name) == Array("whole".utf8)) }
        withExtendedLifetime(server) {}
    }

    @Test func `a request ends when the daemon does`() throws {
        bucket.behaviour = .hanging
        let writer = try writer(isOver: true)
        #expect(throws: TransferFailure.self) { try writer.put([1], as: "o/1") }
    }

    @Test func `a store that takes a write and says nothing has failed, and is asked anew`() throws {
        let impatient = try writer(silence: 1)
        bucket.behaviour = .hanging
        #expect {
            try impatient.put([1], as: "o/1")
        } throws: {
            ($0 as? TransferFailure) == TransferFailure("the server is silent", isTimeout: true)
        }
        bucket.behaviour = .well
        try writer().put([1], as: "o/1")
        #expect(bucket.objects["a/b/o/1"] == [1])
    }

    @Test func `a store that looks for long before it answers a read has not failed`() throws {
        let impatient = try writer(silence: 0)
        #expect(throws: TransferFailure.self) { try impatient.put([1], as: "o/1") }
        #expect(throws: TransferFailure.self) { try impatient.delete("o/1") }
        #expect(try impatient.names(below: "p/").isEmpty)
        #expect(try impatient.object("o/missing") == nil)
    }

    @Test func `a request is not silent as long as bytes move, and begins anew with the next`() {
        let check = BlockingTransfer.AbortCheck { false }
        check.begin(patience: 5, at: 100)
        for (bytes, now) in [(0, 104), (1, 104), (1, 108), (2, 108), (2, 112)] as [(Int, Ticks)] {
            #expect(!check.ends(after: bytes, at: now), "\(now)")
        }
        #expect(check.ends(after: 2, at: 113) && check.isSilent)
        check.begin(patience: 5, at: 200)
        #expect(!check.isSilent && !check.ends(after: 0, at: 204) && check.ends(after: 0, at: 205))
        check.begin(patience: nil, at: 300)
        #expect(!check.ends(after: 0, at: 1_000_000) && !check.isSilent)
    }

    @Test(arguments: [
        ("", []), ("<Key>a/b</Key>", ["a/b"]), ("<Key>a<Key>b</Key></Key>", ["b"]), ("<Key>a", []),
        ("<Contents><Key>a</Key></Contents><Contents><Key>b</Key></Contents>", ["a", "b"]),
        ("\u{FF}<Key></Key>", [""]),
    ])
    func `a list is read as far as it is one`(text: String, names: [String]) {
        #expect(ListedKeys.names(in: Array(text.utf8)) == names)
    }
}

extension BucketWriter {
    fileprivate func put(_ bytes: [UInt8], as name: String) throws(TransferFailure) {
        try put(.bytes(ImmutableBytes(bytes)), SHA256.digest(of: bytes), as: name)
    }
}
