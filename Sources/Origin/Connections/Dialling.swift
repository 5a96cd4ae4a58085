// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Kernel

/// How far a hop has come on its way to a connection, and what libcurl's error code means at that point.
struct Dialling {
    /// True if the hop goes through the configured proxy, so that the proxy's address is dialled.
    let isProxied: Bool
    /// Why an address was not dialled.
    var refusal: SourceRefusal?
    /// True once an address was dialled.
    var hasDialled = false
    /// True once the request could be sent.
    var isConnected = false
    /// Set if this process or this machine cannot make another socket.
    var shortage: SystemError?

    /// The problem behind libcurl's error code.
    /// - Parameter hidesAbsence: true to report a name without an address like an internal name, so that clients cannot find out
    ///   which internal names exist.
    func problem(for code: CURLcode, hidesAbsence: Bool) -> Problem {
        // Resolving a name and reading the authorities need descriptors, too, but their errors do not say that there was none. So
        // the system is asked.
        if let shortage = shortage ?? (Self.isBeforeConnection(code) ? SystemError.shortage() : nil) {
            return .failed(.fileWrite(shortage))
        }
        // libcurl reports a proxy's refusal as a broken answer.
        if isProxied, !isConnected, refusal == nil, Self.isOfProxy(code) { return .failed(.cannotConnect) }
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            return hidesAbsence ? .refused(.insideName) : .failed(.nameNotResolved)
        case CURLE_COULDNT_CONNECT:
            // A refused address is no refusal of the name if other addresses merely did not answer. The refusal of an own
            // listener is reported in any case.
            guard let refusal, !hasDialled || refusal == .ownListener else { return .failed(.cannotConnect) }
            return .refused(refusal)
        case CURLE_URL_MALFORMAT: return .refused(.malformed)
        default: return .failed(Self.failure(named: code))
        }
    }

    /// Why the hop ended.
    enum Problem {
        case failed(DownloadFailure)
        case refused(SourceRefusal)
    }

    private static func isBeforeConnection(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CACERT_BADFILE, CURLE_OUT_OF_MEMORY,
            CURLE_FAILED_INIT:
            true
        default: false
        }
    }

    private static func isOfProxy(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING,
            CURLE_WEIRD_SERVER_REPLY, CURLE_COULDNT_RESOLVE_HOST:
            true
        default: false
        }
    }

    private static func failure(named code: CURLcode) -> DownloadFailure {
        switch code {
        case CURLE_OPERATION_TIMEDOUT: .timedOut(.connect)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CLIENTCERT,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            .tls
        case CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_PARTIAL_FILE, CURLE_HTTP2_STREAM:
            .brokenReply(.cutShort)
        // libcurl 7.88 calls a line with a bare CR in its name a bad argument.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_HTTP2, CURLE_BAD_CONTENT_ENCODING,
            CURLE_BAD_FUNCTION_ARGUMENT:
            .brokenReply(.malformed)
        default: .brokenReply(.other(code.rawValue))
        }
    }
}
