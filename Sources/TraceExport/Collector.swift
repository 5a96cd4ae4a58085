// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Curl
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

    private let handle: CurlHandle
    private let lines: UnsafeMutablePointer<curl_slist>?
    /// The most bytes of an answer's heads and trailers.
    private static let longestHead = 64 << 10
    /// The most bytes of the body that are kept; the rest is read and dropped. Collectors list a reason for each span that they
    /// left out.
    private static let longestBody = 64 << 10

    /// Nil if libcurl fails or does not accept the endpoint.
    init?(_ configuration: CollectorConfiguration, abort: AbortCheck) {
        guard let handle = CurlHandle() else { return nil }
        self.handle = handle
        var lines = curl_slist_append(nil, "Content-Type: application/x-protobuf")
        // Without this, libcurl waits for "100 Continue" before it sends a larger body.
        lines = curl_slist_append(lines, "Expect:")
        if let line = configuration.fieldLine { lines = curl_slist_append(lines, line) }
        self.lines = lines
        ccurl_set_list(raw, CURLOPT_HTTPHEADER, lines)
        var isTaken = handle.speakHTTP(longestHead: Self.longestHead, longestAnswer: Self.longestBody)
        isTaken = ccurl_set_string(raw, CURLOPT_URL, configuration.endpoint) == CURLE_OK && isTaken
        setOptions(configuration)
        handle.endTransfers { _ in abort.isDue.load(ordering: .relaxed) }
        guard isTaken else { return nil }
    }

    private func setOptions(_ configuration: CollectorConfiguration) {
        ccurl_set_string(raw, CURLOPT_USERAGENT, "Pictor/\(configuration.resource.version)")
        ccurl_set_long(raw, CURLOPT_POST, 1)
        ccurl_set_long(raw, CURLOPT_TIMEOUT_MS, configuration.timeout)
        if let authorities = configuration.authorities { handle.trust(authorities) }
    }

    deinit {
        ccurl_set_list(raw, CURLOPT_HTTPHEADER, nil)
        curl_slist_free_all(lines)
    }

    private var raw: UnsafeMutableRawPointer { handle.raw }

    /// Sends a message and waits for its answer.
    func post(_ message: [UInt8]) -> Reply {
        let code = message.withUnsafeBytes { bytes in
            // libcurl does not copy the message; it reads it during the transfer only.
            ccurl_set_pointer(raw, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            ccurl_set_long(raw, CURLOPT_POSTFIELDSIZE, bytes.count)
            defer { ccurl_set_pointer(raw, CURLOPT_POSTFIELDS, nil) }
            return handle.perform()
        }
        guard code == CURLE_OK else {
            return .later(handle.reason(for: code), seconds: nil)
        }
        let status = handle.status
        switch status {
        case 200..<300: return .accepted(ExportAnswer(handle.answer))
        case 429, 502, 503, 504:
            var seconds: curl_off_t = 0
            ccurl_get_offset(raw, CURLINFO_RETRY_AFTER, &seconds)
            return .later("status \(status)", seconds: seconds > 0 ? Int(clamping: seconds) : nil)
        default: return .refused("status \(status)")
        }
    }
}
