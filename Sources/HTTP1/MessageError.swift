// SPDX-License-Identifier: Apache-2.0

/// Reasons to refuse a message before any handler sees it. The connection closes after the refusal, because the beginning of the next
/// message cannot be found any more (RFC 9112 §2.2).
package enum MessageError: Error, Sendable, Hashable, CaseIterable {
    // The request line (RFC 9112 §3).
    case badRequestLine
    case badTarget
    case targetTooLong
    case methodNotImplemented
    case badVersion
    case versionNotSupported

    // Field lines (RFC 9112 §5).
    case badField
    /// A field line that begins with white space: obs-fold, or white space before the first field.
    case foldedField
    case headTooLarge
    case tooManyFields
    case missingHost
    case badHost
    case expectationFailed

    // The body's framing (RFC 9112 §6, §7).
    case badContentLength
    case badTransferEncoding
    case unknownTransferCoding
    case badChunk
    case badTrailer
    case bodyTooLarge

    // The connection.
    case headTimedOut
    case bodyTimedOut
    case tooManyConnections
    /// The limit of connections for one address.
    case tooManyConnectionsOfClient

    /// The status code of the refusal.
    package var status: Int {
        switch self {
        case .badRequestLine, .badTarget, .badVersion, .badField, .foldedField, .missingHost, .badHost,
            .badContentLength, .badTransferEncoding, .badChunk, .badTrailer:
            400
        case .headTimedOut, .bodyTimedOut: 408
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .expectationFailed: 417
        case .tooManyConnectionsOfClient: 429
        case .headTooLarge, .tooManyFields: 431
        case .methodNotImplemented, .unknownTransferCoding: 501
        case .tooManyConnections: 503
        case .versionNotSupported: 505
        }
    }
}
