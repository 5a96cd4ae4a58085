// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Origin
import TestSupport
import Testing

@Suite("Objects are written to a bucket and deleted there")
struct BucketWriterTests {
    private let bucket = StoreDouble()

    private func writer(
        secret: String = StoreDouble.keys.secret, endpoint: String? = nil, isOver: Bool = false
    ) throws -> BucketWriter {
        let store = ObjectStore(
            endpoint: try #require(ObjectStore.endpoint(endpoint ?? bucket.endpoint)), region: "us-east-1",
            style: .path, buckets: [StoreDouble.bucket],
            credentials: StoreCredentials(accessKey: StoreDouble.keys.accessKey, secretKey: secret))
        let writer = BucketWriter(
            store, bucket: StoreDouble.bucket, prefix: "a/b/", authorities: nil,
            now: { Timestamp(seconds: 1_440_938_160) }, isOver: { isOver })
        return try #require(writer)
    }

    @Test func `what is written is there, byte for byte, and signed`() throws {
        let writer = try writer()
        let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try writer.put(large, as: "o/1")
        try writer.put([0, 13, 10, 0], as: "o/2")
        #expect(bucket.objects == ["a/b/o/1": large, "a/b/o/2": [0, 13, 10, 0]])
        #expect(bucket.refusals.isEmpty)
    }

    @Test func `names are listed below the prefix, and only those`() throws {
        let writer = try writer()
        #expect(try writer.names(below: "r/1/") == [])
        bucket.objects = ["a/b/r/1/x": [], "a/b/r/12/x": [], "a/b/r/1/y": [], "r/1/z": []]
        #expect(try writer.names(below: "r/1/") == ["r/1/x", "r/1/y"])
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
        bucket.mood = .full
        let right = try writer()
        #expect {
            try right.put([1], as: "o/1")
        } throws: {
            ($0 as? TransferFailure)?.words == "status 507 (QuotaExceeded: No.)"
        }
        bucket.mood = .well
        // The same handle goes on.
        try right.put([1], as: "o/1")
        #expect(bucket.objects["a/b/o/1"] == [1])
    }

    @Test func `nobody there is a failure`() throws {
        let writer = try writer(endpoint: "http://127.0.0.1:1")
        #expect(throws: TransferFailure.self) { try writer.put([1], as: "o/1") }
    }

    @Test func `a request ends when the daemon does`() throws {
        bucket.mood = .hanging
        let writer = try writer(isOver: true)
        #expect(throws: TransferFailure.self) { try writer.put([1], as: "o/1") }
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
