// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Clients
internal import Glibc
internal import HTTPSemantics
internal import Kernel
internal import SourceURLs

/// One `CURL *` and its buffer, used for one exchange after another.
///
/// Options that are the same for every request are set once. The URL, the field lines and the exchange are
/// set for each hop and cleared afterwards, so nothing is carried from one fetch to the next.
///
/// The callbacks get the exchange as an unretained pointer. It is valid because they run only inside
/// `Multi.perform` and `Multi.remove`, for handles in the multi, and the loop keeps an exchange in its table
/// from before its handle is added until after it is removed.
///
/// **Isolation:** the network thread.
final class EasyHandle {
    let raw: UnsafeMutableRawPointer
    /// A buffer of 64 KB for `BodySink`.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 64)
    /// The buffer in which libcurl describes its last error (CURLOPT_ERRORBUFFER).
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    /// The field lines of a request without conditions, kept because most requests have the same.
    private var plain: (fields: Fields, lines: FieldLines)
    /// The list that libcurl reads at present.
    private var lines: FieldLines
    /// The authorities and certificates of the hop. They are kept in memory, because libcurl only has the path of the
    /// authorities' file.
    private var trust = Trust()

    init(_ configuration: OriginConfiguration, _ connections: Connections) {
        // Cannot trap: curl_easy_init fails only without memory, where malloc's other callers abort too.
        guard let raw = curl_easy_init() else { preconditionFailure("libcurl: out of memory") }
        self.raw = raw
        plain = (configuration.requestFields, FieldLines(configuration.requestFields))
        lines = plain.lines
        setProtocol()
        setConnection(configuration)
        setCallbacks()
        words.pointee = 0
        ccurl_set_pointer(raw, CURLOPT_ERRORBUFFER, words)
        ccurl_set_pointer(
            raw, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(connections).toOpaque())
    }

    deinit {
        curl_easy_cleanup(raw)
        buffer.deallocate()
        words.deallocate()
    }

    /// How one hop uses connections.
    struct ConnectionUse {
        /// The proxy to use; nil to dial the origin directly.
        var proxy: OutboundProxy?
        /// True to make a new connection even if one is kept.
        var isFresh: Bool
        /// True to close the connection afterwards.
        var isLast: Bool
        /// True to end the transfer once the request could be sent.
        var connectsOnly: Bool
        /// True to use HTTP/2 if the origin supports it over TLS.
        var multiplexes: Bool
        /// True to wait for the first connection to the host to tell whether it multiplexes.
        var waitsForOthers: Bool
        /// libcurl divides this time between the addresses of a name; the deadline itself is kept by `Deadlines`.
        var connectTimeout: Duration
    }

    /// The authorities that verify the origin's certificate, and Pictor's client certificate.
    struct Trust: Equatable {
        /// Nil for the system's authorities.
        var authorities: AuthorityBundle?
        /// The path of the certificate's file; nil for none.
        var certificate: String?
        /// The path of the key's file; nil if the certificate's file contains the key.
        var key: String?
    }

    /// The lines of a request with these fields and no others.
    func plainLines(_ fields: Fields) -> FieldLines {
        if plain.fields != fields { plain = (fields, FieldLines(fields)) }
        return plain.lines
    }

    /// Prepares the handle for a hop.
    func prepare(
        _ url: SourceURL, lines: FieldLines, _ use: ConnectionUse, _ trust: Trust, for exchange: Exchange
    ) {
        self.lines = lines
        self.use(trust)
        words.pointee = 0
        set(CURLOPT_FRESH_CONNECT, use.isFresh ? 1 : 0)
        set(CURLOPT_FORBID_REUSE, use.isLast ? 1 : 0)
        set(CURLOPT_CONNECT_ONLY, use.connectsOnly ? 1 : 0)
        set(CURLOPT_URL, url.absolute)
        set(CURLOPT_PROXY, use.proxy?.url ?? "")
        // Set for each hop, because the credentials of one proxy must not be sent to the next.
        let isKnown = use.proxy?.user.isEmpty == false
        ccurl_set_string(raw, CURLOPT_PROXYUSERNAME, isKnown ? use.proxy?.user : nil)
        ccurl_set_string(raw, CURLOPT_PROXYPASSWORD, isKnown ? use.proxy?.password : nil)
        set(CURLOPT_CONNECTTIMEOUT_MS, Int(use.connectTimeout.ticks / 1000))
        set(CURLOPT_HTTP_VERSION, Int(use.multiplexes ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
        set(CURLOPT_PIPEWAIT, use.waitsForOthers ? 1 : 0)
        ccurl_set_list(raw, CURLOPT_HTTPHEADER, lines.list)
        let pointer = Unmanaged.passUnretained(exchange).toOpaque()
        for option in Self.pointers { ccurl_set_pointer(raw, option, pointer) }
    }

    /// Makes the next transfer dial, even if another's connection might soon multiplex; the handle must be out of the multi.
    func stopWaiting() { set(CURLOPT_PIPEWAIT, 0) }

    /// Detaches the exchange; the handle must be out of the multi.
    func clear() {
        for option in Self.pointers { ccurl_set_pointer(raw, option, nil) }
        lines = plain.lines
        ccurl_set_list(raw, CURLOPT_HTTPHEADER, lines.list)
    }

    /// The `Content-Length` that libcurl applies; nil for a body that is chunked or ends with the connection.
    var announcedLength: Int? {
        var length: curl_off_t = -1
        ccurl_get_offset(raw, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length)
        return length < 0 ? nil : Int(length)
    }

    /// libcurl's description of the error that ended the hop, for operators; empty if there is none.
    var error: String { String(cString: words) }

    /// OpenSSL's handle for the connection of the current callback; nil without TLS.
    var tls: UnsafeMutableRawPointer? { ccurl_tls(raw) }

    /// False if HTTP/2 was not negotiated on the current callback's connection. This must be checked because libcurl accepts an
    /// HTTP/2 status line over HTTP/1.1 as well.
    var mayMultiplex: Bool { tls.map { ccurl_tls_multiplexes($0) != 0 } ?? true }

    /// True if this libcurl may take an HTTP/2 answer that breaks off for complete, unless it has a length.
    static let overlooksResets = ccurl_overlooks_resets() != 0

    /// True if this libcurl takes an answer over TLS that ends with its connection for complete, even if the origin did not send
    /// close_notify.
    static let overlooksCuts = ccurl_overlooks_cuts() != 0

    /// Closes the connection after the current answer.
    func forbidReuse() { set(CURLOPT_FORBID_REUSE, 1) }

    static func exchange(of easy: UnsafeMutableRawPointer) -> Exchange? {
        var pointer: UnsafeMutablePointer<CChar>?
        ccurl_get_pointer(easy, CURLINFO_PRIVATE, &pointer)
        return exchange(at: UnsafeMutableRawPointer(pointer))
    }

    static func exchange(at pointer: UnsafeMutableRawPointer?) -> Exchange? {
        pointer.map { Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() }
    }

    private static let pointers = [
        CURLOPT_PRIVATE, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA,
        CURLOPT_DEBUGDATA, CURLOPT_RESOLVER_START_DATA,
    ]
}

// MARK: Options that are the same for every request; each is described at https://curl.se/libcurl/c/.

extension EasyHandle {
    private func setProtocol() {
        set(CURLOPT_PROTOCOLS_STR, "http,https")
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_FOLLOWLOCATION, 0)
        // The normalised target is sent unchanged; libcurl would remove "/../" once more.
        set(CURLOPT_PATH_AS_IS, 1)
        // libcurl must not decode bodies, because Pictor's deadlines and limits do not run inside it. With this option off it
        // does not decode transfer codings either (`ReplyFraming` refuses them before).
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
    }

    private func setConnection(_ configuration: OriginConfiguration) {
        // An empty list overrides no_proxy, and the proxy of each hop overrides http_proxy and the like. With an unknown proxy,
        // the policy would check the proxy's address.
        set(CURLOPT_NOPROXY, "")
        // The fields of an answer must be the origin's, not those of a proxy's answer to CONNECT.
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        set(CURLOPT_NOSIGNAL, 1)
        // Without it, libcurl 7.88 joins the thread inside getaddrinfo(3) when a transfer is given up while its name is being
        // resolved, which stops every other transfer for as long as the resolver's own timeout. With it, the thread is left
        // behind and cleans up after itself.
        set(CURLOPT_QUICK_EXIT, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_MAXAGE_CONN, configuration.connectionIdleSeconds)
        set(CURLOPT_DNS_CACHE_TIMEOUT, configuration.nameCacheSeconds)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        // Without it, OpenSSL would ask for the pass phrase of a certificate's key at the terminal or on standard input, and the
        // network thread would wait for it.
        set(CURLOPT_KEYPASSWD, "")
        set(CURLOPT_BUFFERSIZE, 64 << 10)
        // Debian's libcurl also names a folder of authorities by default. Without it, the bundle is parsed
        // once and kept in the multi (CURLOPT_CA_CACHE_TIMEOUT); with it, each new connection would parse it
        // again, 28 ms.
        ccurl_set_string(raw, CURLOPT_CAPATH, nil)
    }

    /// libcurl compares the files' paths, so a connection that was made with other certificates is not reused.
    private func use(_ trust: Trust) {
        guard trust != self.trust else { return }
        self.trust = trust
        ccurl_set_string(raw, CURLOPT_CAINFO, trust.authorities?.path ?? SystemAuthorities.path)
        ccurl_set_string(raw, CURLOPT_SSLCERT, trust.certificate)
        ccurl_set_string(raw, CURLOPT_SSLKEY, trust.key)
    }

    func set(_ option: CURLoption, _ value: Int) {
        let code = ccurl_set_long(raw, option, value)
        // Cannot trap: the options are constants, and the first handle sets them at start.
        precondition(code == CURLE_OK, "this libcurl does not know option \(option.rawValue)")
    }

    private func set(_ option: CURLoption, _ value: String) {
        let code = ccurl_set_string(raw, option, value)
        // Cannot trap: the options are constants, and the first handle sets them at start.
        precondition(code == CURLE_OK, "this libcurl does not know option \(option.rawValue)")
    }
}
