// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Curl
internal import Kernel

/// A connection that libcurl opens, with TLS if the address asks for it, and that this class then reads and writes
/// (CURLOPT_CONNECT_ONLY). So name resolution, certificate authorities and TLS work as for origins, even with hiredis 0.14, which
/// has no TLS.
///
/// **Isolation:** the link's thread.
final class RedisSocket {
    /// Asked about once a second while the link connects and greets; true aborts that, because the link ends.
    final class AbortCheck: Sendable {
        let isDue: @Sendable () -> Bool

        init(isDue: @escaping @Sendable () -> Bool) { self.isDue = isDue }
    }

    private let handle: CurlHandle
    /// Valid while this object lives.
    let descriptor: Int32

    /// Connects. Blocks for `timeout` at most.
    init(
        _ address: RedisAddress, authorities: String?, timeout: Duration, abort: AbortCheck
    ) throws(RedisFailure) {
        guard let handle = CurlHandle() else { throw .away("libcurl gives no handle") }
        self.handle = handle
        Self.setDestination(address, of: handle.raw)
        Self.setOptions(of: handle.raw, timeout: timeout)
        if let authorities { handle.trust(authorities) }
        handle.endTransfers { _ in abort.isDue() }
        let code = handle.perform()
        var socket: curl_socket_t = -1
        ccurl_get_socket(handle.raw, &socket)
        descriptor = socket
        guard code == CURLE_OK, socket >= 0 else {
            throw .away("\(address.words): \(String(cString: curl_easy_strerror(code)))")
        }
    }

    private var raw: UnsafeMutableRawPointer { handle.raw }

    private static func setDestination(_ address: RedisAddress, of raw: UnsafeMutableRawPointer) {
        let scheme = address.isSecure ? "https" : "http"
        switch address.place {
        case .host(let host, let port):
            let name = host.contains(":") ? "[\(host)]" : host
            ccurl_set_string(raw, CURLOPT_URL, "\(scheme)://\(name):\(port)/")
        case .socket(let path):
            ccurl_set_string(raw, CURLOPT_URL, "http://localhost/")
            ccurl_set_string(raw, CURLOPT_UNIX_SOCKET_PATH, path)
        }
        ccurl_set_string(raw, CURLOPT_PROTOCOLS_STR, scheme)
    }

    private static func setOptions(of raw: UnsafeMutableRawPointer, timeout: Duration) {
        ccurl_set_long(raw, CURLOPT_CONNECT_ONLY, 1)
        ccurl_set_long(raw, CURLOPT_SSL_ENABLE_ALPN, 0)
        // If resolving the name takes longer than the timeout, libcurl leaves the resolver's thread behind and does not wait for
        // it.
        ccurl_set_long(raw, CURLOPT_QUICK_EXIT, 1)
        ccurl_set_long(raw, CURLOPT_TCP_KEEPALIVE, 1)
        ccurl_set_long(
            raw, CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(1, timeout.wholeMilliseconds), 600_000)))
    }

    /// Sends as many bytes as the socket accepts now.
    /// - Returns: the number of bytes sent.
    func send(_ bytes: ArraySlice<UInt8>) throws(RedisFailure) -> Int {
        var sent = 0
        let code = bytes.withUnsafeBytes { curl_easy_send(raw, $0.baseAddress, $0.count, &sent) }
        switch code {
        case CURLE_OK: return sent
        case CURLE_AGAIN: return 0
        default: throw .lost("the connection ended: \(String(cString: curl_easy_strerror(code)))")
        }
    }

    /// Reads the bytes that have arrived into `buffer`.
    /// - Returns: the number of bytes read; 0 if none have arrived.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) throws(RedisFailure) -> Int {
        var count = 0
        let code = curl_easy_recv(raw, buffer.baseAddress, buffer.count, &count)
        switch code {
        case CURLE_OK:
            guard count > 0 else { throw .ended }
            return count
        case CURLE_AGAIN: return 0
        default: throw .lost("the connection ended: \(String(cString: curl_easy_strerror(code)))")
        }
    }

    /// Waits until the socket can be read, or written to if `writes`, or the wakeup is signalled, for `microseconds` at most.
    func wait(writes: Bool, wakeup: Wakeup, microseconds: Int64) {
        wakeup.wait(or: descriptor, writes: writes, microseconds: microseconds)
    }
}
