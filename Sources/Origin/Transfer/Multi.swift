// SPDX-License-Identifier: Apache-2.0

internal import CCurl

/// One `CURLM *`: libcurl's connections, its name cache, and the transfers under way.
///
/// **Isolation:** `wake` may be called from any thread (curl_multi_wakeup(3)); all else belongs to the
/// network thread. `@unchecked Sendable` because the compiler cannot see that division.
final class Multi: @unchecked Sendable {
    private let raw: OpaquePointer
    /// It must outlive `curl_multi_cleanup`, which closes the sockets. It does, because `deinit` runs before the property is
    /// released.
    let connections: Connections
    private var waits: [curl_waitfd] = []

    init(_ configuration: OriginConfiguration, _ connections: Connections) {
        self.connections = connections
        // The initialisation is done once for the process by a `static let`; libcurl's is thread-safe since 7.84.
        // Cannot trap: it has succeeded at the start.
        precondition(Self.isReady, "libcurl cannot be initialised")
        // Cannot trap: curl_multi_init fails only without memory, where malloc's other callers abort too.
        guard let raw = curl_multi_init() else { preconditionFailure("libcurl: out of memory") }
        self.raw = OpaquePointer(raw)
        ccurl_multi_set_long(raw, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        ccurl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, configuration.idleConnections)
        limitConnections(by: configuration)
    }

    /// Applies the limits of connections. Connections beyond them stay open if they are open already.
    func limitConnections(by configuration: OriginConfiguration) {
        // libcurl counts connections to a proxy for all hosts behind it together.
        let perHost =
            !configuration.usesProxy
            ? configuration.connectionsPerHost
            : max(configuration.connectionsPerHost, configuration.transferLimit)
        ccurl_multi_set_long(pointer, CURLMOPT_MAX_HOST_CONNECTIONS, perHost)
    }

    /// Closes every connection.
    deinit {
        connections.shut()
        curl_multi_cleanup(pointer)
    }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private var pointer: UnsafeMutableRawPointer { UnsafeMutableRawPointer(raw) }

    /// Makes the current or the next `poll` return.
    func wake() { curl_multi_wakeup(pointer) }

    func add(_ easy: EasyHandle) -> Bool { curl_multi_add_handle(pointer, easy.raw) == CURLM_OK }

    /// Removes a handle. A transfer under way is aborted: its connection is closed (HTTP/1) or its stream reset (HTTP/2).
    func remove(_ easy: EasyHandle) { curl_multi_remove_handle(pointer, easy.raw) }

    /// Does all work that can be done without waiting; the callbacks of `EasyHandle` run inside.
    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    /// The next transfer that libcurl has ended; nil if there is none.
    func nextFinished() -> (exchange: Exchange, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            if message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle,
                let exchange = EasyHandle.exchange(of: easy)
            {
                return (exchange, message.pointee.data.result)
            }
        }
        return nil
    }

    /// Waits for a socket of libcurl's or of `descriptors`, for `wake` or for libcurl's timers, for at most that many
    /// milliseconds.
    /// - Returns: those of `descriptors` with input.
    func poll(milliseconds: Int32, watching descriptors: [Int32]) -> [Int32] {
        waits.removeAll(keepingCapacity: true)
        for descriptor in descriptors {
            waits.append(curl_waitfd(fd: descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0))
        }
        // Cannot trap: the count is the number of descriptors.
        curl_multi_poll(pointer, &waits, UInt32(waits.count), milliseconds, nil)
        return waits.filter { $0.revents != 0 }.map(\.fd)
    }
}
