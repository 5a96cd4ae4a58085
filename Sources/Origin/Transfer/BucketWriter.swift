// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import HTTPSemantics
package import Kernel
internal import SourceURLs

/// Changes objects of one bucket, one request after another, each of which blocks.
///
/// It dials the store directly; the settings name it, so no policy of addresses is asked.
///
/// **Isolation:** the thread that made it.
package final class BucketWriter {
    private let store: ObjectStore
    private let bucket: String
    private let prefix: String
    private let now: @Sendable () -> Timestamp
    private let transfer: BlockingTransfer
    private let silence: Int

    /// Nil if libcurl cannot be had.
    /// - Parameters:
    ///   - prefix: of all names, with its slash.
    ///   - silence: seconds without a byte after which a write or a deletion has failed. Five failures are found out by two writers
    ///     in three times as many. A list may be silent: a store sends nothing of it before it has looked.
    ///   - isOver: asked during each request; true ends it.
    package init?(
        _ store: ObjectStore, bucket: String, prefix: String, authorities: AuthorityBundle?,
        silence: Int = 5, now: @escaping @Sendable () -> Timestamp, isOver: @escaping @Sendable () -> Bool
    ) {
        // Nobody waits for a request, but the queue does.
        guard
            let transfer = BlockingTransfer(
                limits: (connect: 5, total: 30), authorities: authorities, isOver: isOver)
        else { return nil }
        (self.store, self.bucket, self.prefix, self.now) = (store, bucket, prefix, now)
        (self.transfer, self.silence) = (transfer, silence)
    }

    // MARK: Requests

    /// Writes an object. The name must need no escapes.
    /// - Parameter digest: SHA-256 of the body. It is signed, and the store refuses a body that has another.
    package func put(_ body: Body, _ digest: Digest, as name: String) throws(TransferFailure) {
        try expect(try request("PUT", target(name), body: body, hash: digest.hex))
    }

    /// Deletes an object; one that is missing is no failure.
    package func delete(_ name: String) throws(TransferFailure) {
        let status = try request("DELETE", target(name))
        if status != 404 { try expect(status) }
    }

    /// The bytes of an object, or the beginning of one that is larger than an answer may be; nil if there is none.
    package func object(_ name: String) throws(TransferFailure) -> [UInt8]? {
        let status = try request("GET", target(name))
        if status == 404 { return nil }
        try expect(status)
        return transfer.answer
    }

    /// Up to 1,000 names that begin so, without the writer's prefix. Names that need escapes are passed over: they are none of
    /// ours, and as they stand they would name other objects, or no object.
    ///
    /// - Parameter last: the name behind which the list begins; nil for its beginning.
    package func names(below start: String, after last: String? = nil) throws(TransferFailure) -> [String] {
        func escaped(_ name: String) -> String { (prefix + name).replacing("/", with: "%2F") }
        let behind = last.map { "&start-after=\(escaped($0))" } ?? ""
        try expect(try request("GET", "/?list-type=2&prefix=\(escaped(start))\(behind)"))
        return ListedKeys.names(in: transfer.answer).compactMap { key in
            guard key.hasPrefix(prefix + start) else { return nil }
            let name = String(key.dropFirst(prefix.count))
            return name.utf8.allSatisfy(Self.isPlain) ? name : nil
        }
    }

    /// True for what the shared store's names consist of: letters, digits and slashes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == .slash
    }

    private func target(_ name: String) -> String { "/\(prefix)\(name)" }

    /// - Returns: the status.
    private func request(
        _ method: String, _ target: String, body: Body? = nil, hash: String = RequestSignature.emptyBody
    ) throws(TransferFailure) -> Int {
        let place = store.place(of: SourceURL(scheme: .s3, host: bucket, port: 0, target: target))
        let fields = store.fields(for: place, at: now(), method: method, bodyHash: hash)
        return try transfer.perform(
            method, place.absolute, [Fields.Field("Content-Type", "application/octet-stream")] + fields,
            body: body, silence: method == "GET" ? nil : silence)
    }

    private func expect(_ status: Int) throws(TransferFailure) {
        if !(200..<300).contains(status) { throw transfer.refusal(status) }
    }
}

/// The names in a store's list (Amazon S3 API Reference, "ListObjectsV2"): `<Key>…</Key>`, one each.
///
/// No XML parser: names of ours hold nothing that is escaped, and of others nothing is asked.
enum ListedKeys {
    static func names(in bytes: [UInt8]) -> [String] {
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: "<Key>", omittingEmptySubsequences: false)
        return parts.dropFirst().compactMap { part in
            part.firstRange(of: "</Key>").map { String(part[..<$0.lowerBound]) }
        }
    }
}
