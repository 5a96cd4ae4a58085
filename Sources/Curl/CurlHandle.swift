// SPDX-License-Identifier: Apache-2.0

package import CCurl

/// One `CURL *` for transfers that block, one after another, with the memory that libcurl writes to.
///
/// It dials directly: as for origins, the environment's proxy variables are ignored. The other options are the owner's.
///
/// **Isolation:** the thread that made it.
package final class CurlHandle {
    /// The beginning of an answer's body.
    private final class Received {
        /// The most bytes that are kept; the rest is read and dropped.
        var limit = 0
        var bytes: [UInt8] = []
    }

    /// Whether the present transfer must end.
    private final class EndCheck {
        let isOver: (_ moved: Int) -> Bool

        init(_ isOver: @escaping (_ moved: Int) -> Bool) { self.isOver = isOver }
    }

    package let raw: UnsafeMutableRawPointer
    /// The buffer in which libcurl describes its last error (CURLOPT_ERRORBUFFER).
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// Bytes that the present answer's heads may still have, of `longestHead`.
    private let room = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    private var longestHead = 0
    private let received = Received()
    private var endCheck: EndCheck?

    /// Nil if libcurl fails.
    package init?() {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        (words.pointee, room.pointee) = (0, 0)
        ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, words)
        ccurl_set_long(raw, CURLOPT_NOSIGNAL, 1)
        ccurl_set_string(raw, CURLOPT_PROXY, "")
        ccurl_set_string(raw, CURLOPT_NOPROXY, "")
    }

    deinit {
        curl_easy_cleanup(raw)
        words.deallocate()
        room.deallocate()
    }

    /// Trusts these authorities and no others.
    /// - Parameter path: the PEM file; nil for none.
    package func trust(_ path: String?) {
        ccurl_set_string(raw, CURLOPT_CAINFO, path)
        // Without this, Debian's libcurl would also trust the certificates of the system's folder, which the named file
        // (SSL_CERT_FILE) may not contain.
        ccurl_set_string(raw, CURLOPT_CAPATH, nil)
    }

    /// Prepares for requests over HTTP, which follow no redirect.
    /// - Parameters:
    ///   - longestHead: the most bytes of an answer's heads and trailers.
    ///   - longestAnswer: the most bytes of an answer's body that are kept; the rest is read and dropped.
    /// - Returns: false if this libcurl does not know how to limit the schemes.
    @discardableResult
    package func speakHTTP(longestHead: Int, longestAnswer: Int) -> Bool {
        ccurl_set_long(raw, CURLOPT_FOLLOWLOCATION, 0)
        // HTTP/1.1 suffices for one request at a time. With HTTP/2, libcurl before 8.0 uses a whole core while the server
        // makes it wait with the body.
        ccurl_set_long(raw, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        self.longestHead = longestHead
        ccurl_bound_lines(raw, room)
        received.limit = longestAnswer
        // `received` lives as long as the handle.
        ccurl_set_pointer(raw, CURLOPT_WRITEDATA, Unmanaged.passUnretained(received).toOpaque())
        ccurl_set_write(raw, CURLOPT_WRITEFUNCTION) { bytes, _, count, pointer in
            guard let pointer else { return 0 }
            let received = Unmanaged<Received>.fromOpaque(pointer).takeUnretainedValue()
            let rest = max(0, received.limit - received.bytes.count)
            received.bytes += UnsafeRawBufferPointer(start: bytes, count: count).prefix(rest)
            return count
        }
        return ccurl_set_string(raw, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK
    }

    /// Ends each transfer once `isOver` returns true. It is called about once a second or more often, with the number of bytes moved
    /// of both bodies.
    package func endTransfers(when isOver: @escaping (_ moved: Int) -> Bool) {
        let check = EndCheck(isOver)
        endCheck = check
        ccurl_set_long(raw, CURLOPT_NOPROGRESS, 0)
        // The handle holds the check.
        ccurl_set_pointer(raw, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(check).toOpaque())
        ccurl_set_progress(raw) { pointer, _, received, _, sent in
            guard let pointer else { return 0 }
            let check = Unmanaged<EndCheck>.fromOpaque(pointer).takeUnretainedValue()
            return check.isOver(Int(received &+ sent)) ? 1 : 0
        }
    }

    /// Makes a transfer, and waits for its end.
    package func perform() -> CURLcode {
        received.bytes = []
        (words.pointee, room.pointee) = (0, longestHead)
        return curl_easy_perform(raw)
    }

    /// The body of the last answer.
    package var answer: [UInt8] { received.bytes }

    /// The status of the last answer.
    package var status: Int {
        var status = 0
        ccurl_get_long(raw, CURLINFO_RESPONSE_CODE, &status)
        return status
    }

    /// libcurl's description of the error that ended the last transfer.
    package func reason(for code: CURLcode) -> String {
        let reason = String(cString: words)
        return reason.isEmpty ? String(cString: curl_easy_strerror(code)) : reason
    }
}
