// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Synchronization
internal import Traces

/// The connection to the collector: one easy handle of libcurl.
final class Collector {
    /// The answer to a request (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP Response").
    enum Reply {
        case accepted(ExportAnswer)
        /// The spans must be sent again, after `seconds` if the collector named a time.
        case later(String, seconds: Int?)
        /// The collector refuses the spans, and would refuse them again.
        case refused(String)
    }

    /// Whether the present request must be aborted.
    final class AbortCheck: Sendable {
        let isDue = Atomic<Bool>(false)
    }

    /// The beginning of an answer's body.
    private final class Body { var bytes: [UInt8] = [] }

    private let raw: UnsafeMutableRawPointer
    private let lines: UnsafeMutablePointer<curl_slist>?
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// Bytes that the present answer's head may still have, of `longestHead`.
    private let room = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    /// The most bytes of an answer's heads and trailers.
    private static let longestHead = 64 << 10
    private let body = Body()
    /// The most bytes of the body that are kept; the rest is read and dropped. Collectors list a reason for each span that they
    /// left out.
    private static let longestBody = 64 << 10

    /// Nil if libcurl fails or does not accept the endpoint.
    init?(_ configuration: CollectorConfiguration, abort: AbortCheck) {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        var lines = curl_slist_append(nil, "Content-Type: application/x-protobuf")
        // Without this, libcurl waits for "100 Continue" before it sends a larger body.
        lines = curl_slist_append(lines, "Expect:")
        if let line = configuration.fieldLine { lines = curl_slist_append(lines, line) }
        self.lines = lines
        (words.pointee, room.pointee) = (0, 0)
        ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, words)
        ccurl_bound_lines(raw, room)
        ccurl_set_list(raw, CURLOPT_HTTPHEADER, lines)
        var isTaken = ccurl_set_string(raw, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
        isTaken = ccurl_set_string(raw, CURLOPT_URL, configuration.endpoint) == CURLE_OK && isTaken
        setOptions(configuration)
        setBody()
        setAbort(abort)
        guard isTaken else { return nil }
    }

    private func setOptions(_ configuration: CollectorConfiguration) {
        // As for origins, the environment's proxy variables are ignored.
        ccurl_set_string(raw, CURLOPT_PROXY, "")
        ccurl_set_string(raw, CURLOPT_NOPROXY, "")
        ccurl_set_string(raw, CURLOPT_USERAGENT, "Pictor/\(configuration.resource.version)")
        ccurl_set_long(raw, CURLOPT_NOSIGNAL, 1)
        ccurl_set_long(raw, CURLOPT_POST, 1)
        // HTTP/1.1 suffices for one request at a time. With HTTP/2, libcurl before 8.0 uses a whole core while the server makes
        // it wait with the body.
        ccurl_set_long(raw, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        ccurl_set_long(raw, CURLOPT_FOLLOWLOCATION, 0)
        ccurl_set_long(raw, CURLOPT_TIMEOUT_MS, configuration.timeout)
        if let authorities = configuration.authorities {
            ccurl_set_string(raw, CURLOPT_CAINFO, authorities)
            // Without this, Debian's libcurl would also trust the certificates of the system's folder, which the named file
            // (SSL_CERT_FILE) may not contain.
            ccurl_set_string(raw, CURLOPT_CAPATH, nil)
        }
    }

    /// Has libcurl write an answer's body to `body`, which lives as long as this object.
    private func setBody() {
        ccurl_set_pointer(raw, CURLOPT_WRITEDATA, Unmanaged.passUnretained(body).toOpaque())
        ccurl_set_write(raw, CURLOPT_WRITEFUNCTION) { bytes, _, count, pointer in
            guard let pointer else { return 0 }
            let body = Unmanaged<Body>.fromOpaque(pointer).takeUnretainedValue()
            let rest = max(0, Collector.longestBody - body.bytes.count)
            body.bytes += UnsafeRawBufferPointer(start: bytes, count: count).prefix(rest)
            return count
        }
    }

    /// Has libcurl ask `abort`, which the exporter holds for as long as this object lives.
    private func setAbort(_ abort: AbortCheck) {
        ccurl_set_long(raw, CURLOPT_NOPROGRESS, 0)
        ccurl_set_pointer(raw, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(abort).toOpaque())
        ccurl_set_progress(raw) { pointer, _, _, _, _ in
            guard let pointer else { return 0 }
            return Unmanaged<AbortCheck>.fromOpaque(pointer).takeUnretainedValue().isDue.load(
                ordering: .relaxed)
                ? 1 : 0
        }
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(lines)
        words.deallocate()
        room.deallocate()
    }

    /// Sends a message and waits for its answer.
    func post(_ message: [UInt8]) -> Reply {
        (words.pointee, room.pointee) = (0, Self.longestHead)
        body.bytes.removeAll(keepingCapacity: true)
        let code = message.withUnsafeBytes { bytes in
            // libcurl does not copy the message; it reads it during the transfer only.
            ccurl_set_pointer(raw, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            ccurl_set_long(raw, CURLOPT_POSTFIELDSIZE, bytes.count)
            defer { ccurl_set_pointer(raw, CURLOPT_POSTFIELDS, nil) }
            return curl_easy_perform(raw)
        }
        guard code == CURLE_OK else {
            let reason = String(cString: words)
            return .later(reason.isEmpty ? String(cString: curl_easy_strerror(code)) : reason, seconds: nil)
        }
        var status = 0
        ccurl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
        switch status {
        case 200..<300: return .accepted(ExportAnswer(body.bytes))
        case 429, 502, 503, 504:
            var seconds: curl_off_t = 0
            ccurl_get_offset(raw, CURLINFO_RETRY_AFTER, &seconds)
            return .later("status \(status)", seconds: seconds > 0 ? Int(clamping: seconds) : nil)
        default: return .refused("status \(status)")
        }
    }
}
