// SPDX-License-Identifier: Apache-2.0

/// Refusals that no failure of a picture causes; failures have rows of their own, see `FailureRow`.
package enum RefusalKind: Sendable, CaseIterable {
    case badParameter, badURL, badClientField, clientFieldsTooLarge, signatureMissing, signatureWrong,
        refererRefused, notFound, methodNotAllowed
    case urlExpired, preconditionFailed, rangeNotSatisfiable, requestLoop
    case tooManyConnectionsOfClient, tooManyRequests, tooManyConnections
    case badRequest, requestTimeout, contentTooLarge, targetTooLong, expectationFailed, headTooLarge
    case tooManyFields, methodNotImplemented, transferCoding, versionNotSupported
    case tooManyStreams, starting, badSettings
    case badOrder, unauthorized, noToken, busy, noThread, hostRefused, pageRefused, indexUnreadable

    /// Status, stable code and cause.
    var entry: ErrorReference.Entry {
        switch self {
        case .badParameter:
            .init(
                .picture, 400, "bad_parameter",
                "an option is unknown, repeated, malformed, out of range or missing")
        case .badURL: .init(.picture, 400, "bad_url", "the source URL is malformed")
        case .badClientField:
            .init(
                .picture, 400, "bad_client_field",
                "a field of the request that the origin's profile passes on (`pass`) cannot be passed on as it is"
            )
        case .clientFieldsTooLarge:
            .init(
                .picture, 431, "client_fields_too_large",
                "the fields of the request that the origin's profile passes on (`pass`) have more than 8 KiB")
        case .signatureMissing:
            .init(
                .picture, 401, "signature_missing",
                "the endpoint needs a signature: [Signed URLs](../operating/signatures.md)")
        case .signatureWrong:
            .init(.picture, 403, "signature_wrong", "the signature is wrong, or there are two")
        case .refererRefused:
            .init(
                .picture, 403, "referer_refused",
                "the page that shows the picture is not allowed to show it (`referers.allow`)")
        case .notFound: .init(.picture, 404, "not_found", "the path does not exist")
        case .methodNotAllowed:
            .init(
                .picture, 405, "method_not_allowed",
                "the method is neither GET nor HEAD, nor OPTIONS at a picture's URL")
        case .urlExpired: .init(.picture, 410, "url_expired", "the time in `exp` is over")
        case .preconditionFailed:
            .init(
                .picture, 412, "precondition_failed",
                "a condition of the request (`If-Match`, `If-Unmodified-Since`) does not hold")
        case .rangeNotSatisfiable:
            .init(.picture, 416, "range_not_satisfiable", "the picture has no such bytes")
        case .requestLoop:
            .init(
                .picture, 508, "request_loop",
                "the origin answers Pictor's request for a source by asking Pictor for the same source, or for another one of its host behind three such requests: [Origins](../operating/origins.md#an-origin-that-asks-pictor)"
            )
        case .tooManyConnectionsOfClient:
            .init(
                .load, 429, "too_many_connections",
                "this client has more than `limits.connections-per-client` connections")
        case .tooManyRequests:
            .init(
                .load, 429, "too_many_requests", "this client asked too often (`limits.requests-per-client`)")
        case .tooManyConnections:
            .init(
                .load, 503, "too_many_connections",
                "more than `server.maximum-connections` connections are open")
        case .badRequest:
            .init(
                .message, 400, "bad_request",
                "the request is malformed: its first line, a field, `Host`, its length or its chunks")
        case .requestTimeout:
            .init(
                .message, 408, "request_timeout",
                "the head took longer than `server.head-timeout` to arrive, or the content took too long")
        case .contentTooLarge:
            .init(.message, 413, "content_too_large", "the request's content is too large")
        case .targetTooLong:
            .init(.message, 414, "target_too_long", "the target is longer than `server.maximum-target`")
        case .expectationFailed:
            .init(
                .message, 417, "expectation_failed",
                "`Expect` asks for something else than `100-continue`")
        case .headTooLarge:
            .init(.message, 431, "head_too_large", "the head is larger than `server.maximum-head`")
        case .tooManyFields:
            .init(
                .message, 431, "too_many_fields",
                "there are more header fields than `server.maximum-fields`")
        case .methodNotImplemented:
            .init(
                .message, 501, "method_not_implemented",
                "the method is `CONNECT`, or its name is longer than 24 bytes; any other unknown method is a 405"
            )
        case .transferCoding:
            .init(.message, 501, "transfer_coding", "the transfer coding is not `chunked`")
        case .versionNotSupported:
            .init(.message, 505, "version_not_supported", "the version is neither HTTP/1.0 nor HTTP/1.1")
        case .tooManyStreams:
            .init(.admin, 503, "too_many_streams", "64 event streams are open; come again later")
        case .starting:
            .init(
                .admin, 503, "starting",
                "the settings cannot be read anew while the daemon starts; order it again later")
        case .badSettings:
            .init(
                .admin, 422, "bad_settings",
                "the settings have mistakes, which the message names; those in force stay")
        case .badOrder: .init(.admin, 400, "bad_order", "the body of an order is malformed")
        case .unauthorized: .init(.admin, 401, "unauthorized", "the admin token is missing or wrong")
        case .noToken: .init(.admin, 403, "no_token", "orders need a token, and none is set")
        case .busy:
            .init(.admin, 409, "busy", "another long task (`verify`, `gc`), or another warming, is under way")
        case .noThread:
            .init(.admin, 503, "no_thread", "the system gives no thread for a long task (`verify`, `gc`)")
        case .hostRefused:
            .init(
                .admin, 421, "host_refused",
                "the listener was asked for by a name that is not its own (`admin.hosts`)")
        case .pageRefused:
            .init(.admin, 403, "page_refused", "a browser sent the order for a page of another origin")
        case .indexUnreadable:
            .init(
                .admin, 503, "index_unreadable",
                "the index of the disk cache cannot be read now; what a purge has removed may come back")
        }
    }
}
