// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CCurl
package import HTTPSemantics
internal import Hashing
internal import SourceURLs

/// Changes objects of one bucket: one handle of libcurl, one request after another, each of which blocks.
///
/// It dials the store directly; the settings name it, so no policy of addresses is asked.
///
/// **Isolation:** the thread that made it.
package final class BucketWriter {
    /// Why a request failed.
    package struct Failure: Error, Sendable, Hashable {
        /// For operators: the store's words, or libcurl's.
        package let words: String
        /// True if the store did not answer in time.
        package let isTimeout: Bool
    }

    /// Seconds for a connection, and for a whole request: nobody waits for it, but the queue does.
    private static let limits = (connect: 5, total: 30)
    /// Bytes of an answer that are kept: a list of 1,000 names has some 300 KB.
    private static let longestAnswer = 1 << 20

    private let store: ObjectStore
    private let bucket: String
    private let prefix: String
    private let now: @Sendable () -> Timestamp
    private let answer = Answer()
    private let raw: UnsafeMutableRawPointer
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// libcurl knows its path alone.
    private let authorities: AuthorityBundle?

    private let leave: Leave

    private final class Answer {
        var bytes: [UInt8] = []
    }

    private final class Leave {
        let isOver: @Sendable () -> Bool
        init(_ isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }
    }

    /// Nil if libcurl cannot be had.
    /// - Parameters:
    ///   - prefix: of all names, with its slash.
    ///   - isOver: asked during each request; true ends it.
    package init?(
        _ store: ObjectStore, bucket: String, prefix: String, authorities: AuthorityBundle?,
        now: @escaping @Sendable () -> Timestamp, isOver: @escaping @Sendable () -> Bool
    ) {
        guard let raw = curl_easy_init() else { return nil }
        (self.raw, self.store, self.bucket, self.prefix) = (raw, store, bucket, prefix)
        (self.authorities, self.now) = (authorities, now)
        leave = Leave(isOver)
        words.pointee = 0
        ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, words)
        ccurl_set_string(raw, CURLOPT_PROTOCOLS_STR, "http,https")
        // The environment's proxies are not heeded, as they are not for origins.
        ccurl_set_string(raw, CURLOPT_PROXY, "")
        ccurl_set_string(raw, CURLOPT_NOPROXY, "")
        for (option, value) in [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_PATH_AS_IS, 1),
            (CURLOPT_CONNECTTIMEOUT, Self.limits.connect), (CURLOPT_TIMEOUT, Self.limits.total),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)), (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_NOPROGRESS, 0),
        ] {
            ccurl_set_long(raw, option, value)
        }
        ccurl_set_string(raw, CURLOPT_CAPATH, nil)
        ccurl_set_string(raw, CURLOPT_CAINFO, authorities?.path ?? SystemAuthorities.path)
        ccurl_set_pointer(raw, CURLOPT_WRITEDATA, Unmanaged.passUnretained(answer).toOpaque())
        ccurl_set_write(raw, CURLOPT_WRITEFUNCTION) { bytes, _, count, pointer in
            guard let pointer else { return 0 }
            let answer = Unmanaged<Answer>.fromOpaque(pointer).takeUnretainedValue()
            let rest = max(0, BucketWriter.longestAnswer - answer.bytes.count)
            answer.bytes += UnsafeRawBufferPointer(start: bytes, count: count).prefix(rest)
            return count
        }
        // Both live as long as this.
        ccurl_set_pointer(raw, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(leave).toOpaque())
        ccurl_set_progress(raw) { pointer, _, _, _, _ in
            guard let pointer else { return 0 }
            return Unmanaged<Leave>.fromOpaque(pointer).takeUnretainedValue().isOver() ? 1 : 0
        }
    }

    deinit {
        curl_easy_cleanup(raw)
        words.deallocate()
    }

    // MARK: Requests

    /// Writes an object. The name must need no escapes.
    package func put(_ bytes: [UInt8], as name: String) throws(Failure) {
        try expect(try request("PUT", target(name), body: bytes))
    }

    /// Deletes an object; one that is missing is no failure.
    package func delete(_ name: String) throws(Failure) {
        let status = try request("DELETE", target(name))
        if status != 404 { try expect(status) }
    }

    /// Up to 1,000 names that begin so, without the writer's prefix.
    package func names(below start: String) throws(Failure) -> [String] {
        let escaped = (prefix + start).replacing("/", with: "%2F")
        try expect(try request("GET", "/?list-type=2&prefix=\(escaped)"))
        return ListedKeys.names(in: answer.bytes).compactMap { key in
            key.hasPrefix(prefix + start) ? String(key.dropFirst(prefix.count)) : nil
        }
    }

    private func target(_ name: String) -> String { "/\(prefix)\(name)" }

    /// - Returns: the status.
    private func request(_ method: String, _ target: String, body: [UInt8] = []) throws(Failure) -> Int {
        let place = store.place(of: SourceURL(scheme: .s3, host: bucket, port: 0, target: target))
        let hash = body.isEmpty ? RequestSignature.emptyBody : SHA256.digest(of: body).hex
        let fields = store.fields(for: place, at: now(), method: method, bodyHash: hash)
        var lines = curl_slist_append(nil, "Content-Type: application/octet-stream")
        // Without it, libcurl waits for a "100 Continue" before larger bodies.
        lines = curl_slist_append(lines, "Expect:")
        for field in fields { lines = curl_slist_append(lines, "\(field.name): \(field.value)") }
        defer {
            ccurl_set_list(raw, CURLOPT_HTTPHEADER, nil)
            curl_slist_free_all(lines)
        }
        ccurl_set_list(raw, CURLOPT_HTTPHEADER, lines)
        ccurl_set_string(raw, CURLOPT_URL, place.absolute)
        answer.bytes = []
        words.pointee = 0
        let code = body.withUnsafeBytes { bytes in
            if method == "PUT" {
                // libcurl does not copy it, and reads it during the transfer only.
                ccurl_set_long(raw, CURLOPT_POST, 1)
                ccurl_set_pointer(
                    raw, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
                ccurl_set_long(raw, CURLOPT_POSTFIELDSIZE, bytes.count)
            } else {
                ccurl_set_long(raw, CURLOPT_HTTPGET, 1)
            }
            ccurl_set_string(raw, CURLOPT_CUSTOMREQUEST, method)
            defer { if method == "PUT" { ccurl_set_pointer(raw, CURLOPT_POSTFIELDS, nil) } }
            return curl_easy_perform(raw)
        }
        guard code == CURLE_OK else {
            let reason = String(cString: words)
            throw Failure(
                words: reason.isEmpty ? String(cString: curl_easy_strerror(code)) : reason,
                isTimeout: code == CURLE_OPERATION_TIMEDOUT)
        }
        var status = 0
        ccurl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    private func expect(_ status: Int) throws(Failure) {
        guard !(200..<300).contains(status) else { return }
        let error = StoreError(answer.bytes).words
        throw Failure(words: "status \(status)\(error.isEmpty ? "" : " (\(error))")", isTimeout: false)
    }
}

/// The names in a store's list (Amazon S3 API Reference, "ListObjectsV2"): `<Key>…</Key>`, one each.
///
/// No XML parser: names of ours hold nothing that is escaped, and others are passed over.
enum ListedKeys {
    static func names(in bytes: [UInt8]) -> [String] {
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: "<Key>", omittingEmptySubsequences: false)
        return parts.dropFirst().compactMap { part in
            part.firstRange(of: "</Key>").map { String(part[..<$0.lowerBound]) }
        }
    }
}
