// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import HTTPSemantics
package import Kernel
internal import SourceURLs

/// Reads, writes, deletes and lists objects of one bucket with blocking requests, one after another.
///
/// It dials the store directly. The rules about addresses do not apply, because the settings name the store.
///
/// **Isolation:** the thread that made it.
package final class BucketWriter {
    private let store: ObjectStore
    private let bucket: String
    private let prefix: String
    private let now: @Sendable () -> Timestamp
    private let transfer: BlockingTransfer
    private let silence: Int

    /// Nil if libcurl fails.
    /// - Parameters:
    ///   - prefix: the prefix of all names, with its slash.
    ///   - silence: after so many seconds without a byte a write or a deletion fails. Two writers notice five failures within three
    ///     times this. The limit does not apply to lists, because a store may search for long before it sends the first byte.
    ///   - isOver: called during each request; true ends the request.
    package init?(
        _ store: ObjectStore, bucket: String, prefix: String, authorities: AuthorityBundle?,
        silence: Int = 5, now: @escaping @Sendable () -> Timestamp, isOver: @escaping @Sendable () -> Bool
    ) {
        // In seconds. The limits are generous, because no client waits for a request, only the queue does.
        guard
            let transfer = BlockingTransfer(
                limits: (connect: 5, total: 30), authorities: authorities, isOver: isOver)
        else { return nil }
        (self.store, self.bucket, self.prefix, self.now) = (store, bucket, prefix, now)
        (self.transfer, self.silence) = (transfer, silence)
    }

    // MARK: Requests

    /// Writes an object. The name must need no escapes.
    /// - Parameter digest: the SHA-256 of the body. The signature covers it, and the store refuses another body.
    package func put(_ body: Body, _ digest: Digest, as name: String) throws(TransferFailure) {
        try expect(try request("PUT", target(name), body: body, hash: digest.hex))
    }

    /// Deletes an object; a missing object is not a failure.
    package func delete(_ name: String) throws(TransferFailure) {
        let status = try request("DELETE", target(name))
        if status != 404 { try expect(status) }
    }

    /// The bytes of an object, cut to the longest answer; nil if there is no such object.
    package func object(_ name: String) throws(TransferFailure) -> [UInt8]? {
        let status = try request("GET", target(name))
        if status == 404 { return nil }
        try expect(status)
        return transfer.answer
    }

    /// Up to 1,000 names that begin with `start`, without the writer's prefix. Names that need escapes are skipped, because
    /// Pictor makes no such names, and without escapes they would name other objects or none.
    ///
    /// - Parameter last: the name after which the list begins; nil for the beginning.
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

    /// True for characters of the shared store's names: letters, digits and slashes.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == .slash
    }

    private func target(_ name: String) -> String { "/\(prefix)\(name)" }

    /// Sends a request.
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
        if (200..<300).contains(status) { return }
        let error = StoreError(transfer.answer)
        if error.isAboutEndedKey(status) { store.renewed?.noteRefusal(error.words) }
        throw transfer.refusal(status)
    }
}

/// The names in a store's list (Amazon S3 API Reference, "ListObjectsV2"): each in `<Key>…</Key>`.
///
/// This is not an XML parser, because Pictor's names contain nothing that is escaped, and other names do not matter.
enum ListedKeys {
    static func names(in bytes: [UInt8]) -> [String] {
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: "<Key>", omittingEmptySubsequences: false)
        return parts.dropFirst().compactMap { part in
            part.firstRange(of: "</Key>").map { String(part[..<$0.lowerBound]) }
        }
    }
}
