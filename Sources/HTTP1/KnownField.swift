// SPDX-License-Identifier: Apache-2.0

/// The request fields that the parser indexes in its one pass over the head.
package enum KnownField: UInt8, Sendable, CaseIterable {
    case host
    case connection
    case contentLength
    case transferEncoding
    case expect
    case accept
    case authorization
    case cacheControl
    case range
    case ifMatch
    case ifNoneMatch
    case ifModifiedSince
    case ifUnmodifiedSince
    case ifRange
    case forwarded
    case xForwardedFor
    case origin
    case referer
    case xRequestID
    case traceparent
    case saveData
    case dpr
    case width
    case viewportWidth
    case secDPR
    case secWidth
    case secViewportWidth

    /// The field's name in lower case.
    package var name: StaticString {
        switch self {
        case .host: "host"
        case .connection: "connection"
        case .contentLength: "content-length"
        case .transferEncoding: "transfer-encoding"
        case .expect: "expect"
        case .accept: "accept"
        case .authorization: "authorization"
        case .cacheControl: "cache-control"
        case .range: "range"
        case .ifMatch: "if-match"
        case .ifNoneMatch: "if-none-match"
        case .ifModifiedSince: "if-modified-since"
        case .ifUnmodifiedSince: "if-unmodified-since"
        case .ifRange: "if-range"
        case .forwarded: "forwarded"
        case .xForwardedFor: "x-forwarded-for"
        case .origin: "origin"
        case .referer: "referer"
        case .xRequestID: "x-request-id"
        case .traceparent: "traceparent"
        case .saveData: "save-data"
        case .dpr: "dpr"
        case .width: "width"
        case .viewportWidth: "viewport-width"
        case .secDPR: "sec-ch-dpr"
        case .secWidth: "sec-ch-width"
        case .secViewportWidth: "sec-ch-viewport-width"
        }
    }

    /// The field of that name, compared without case; nil for any other. `name` holds token bytes only.
    ///
    /// The length leaves at most three candidates, so most names cost one switch.
    static func find(_ name: UnsafeRawBufferPointer) -> KnownField? {
        switch name.count {
        case 3: match(name, .dpr)
        case 4: match(name, .host)
        case 5: match(name, .range) ?? match(name, .width)
        case 6: match(name, .accept) ?? match(name, .expect) ?? match(name, .origin)
        case 7: match(name, .referer)
        case 8: match(name, .ifMatch) ?? match(name, .ifRange)
        case 9: match(name, .forwarded) ?? match(name, .saveData)
        case 10: match(name, .connection) ?? match(name, .secDPR)
        case 11: match(name, .traceparent)
        case 12: match(name, .xRequestID) ?? match(name, .secWidth)
        case 13: match(name, .ifNoneMatch) ?? match(name, .authorization) ?? match(name, .cacheControl)
        case 14: match(name, .contentLength) ?? match(name, .viewportWidth)
        case 15: match(name, .xForwardedFor)
        case 17: match(name, .transferEncoding) ?? match(name, .ifModifiedSince)
        case 19: match(name, .ifUnmodifiedSince)
        case 21: match(name, .secViewportWidth)
        default: nil
        }
    }

    @inline(__always)
    private static func match(_ name: UnsafeRawBufferPointer, _ field: KnownField) -> KnownField? {
        equalsIgnoringCase(name, field.name) ? field : nil
    }
}

/// True if `bytes` spell `word`, letter case included.
@inline(__always)
func equals(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    let expected = word.utf8Start
    for index in 0..<bytes.count where bytes[index] != expected[index] { return false }
    return true
}

/// True if `bytes` spell `word` in any case; `word` is in lower case and made of letters and "-".
///
/// Setting bit 5 makes a letter lower case and leaves "-" alone. Only CR becomes "-" as well, and no caller
/// lets a CR through.
@inline(__always)
func equalsIgnoringCase(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
    guard bytes.count == word.utf8CodeUnitCount else { return false }
    let expected = word.utf8Start
    for index in 0..<bytes.count where bytes[index] | 0x20 != expected[index] { return false }
    return true
}
