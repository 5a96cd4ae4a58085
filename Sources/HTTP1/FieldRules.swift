// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

// Rules for the known fields: the requested host, the end of the body, the life of the connection. A message is refused, and never
// repaired, if two parsers could find its end in two places.

extension RequestParser {
    mutating func accept(
        _ field: KnownField, _ range: ByteRun, _ input: UnsafeRawBufferPointer
    ) throws(MessageError) {
        let value = range.slice(of: input)
        switch field {
        case .host:
            // RFC 9112 §3.2: more than one Host line, or an invalid one, is a 400.
            guard !head.has(.host), Authority.isValid(value) else { throw .badHost }
            if head.form != .absolute { head.authorityRange = range }
        case .contentLength: try acceptContentLength(value)
        case .transferEncoding: try acceptTransferEncoding(value)
        case .expect: try acceptExpect(value)
        case .connection: acceptConnection(value)
        default: break
        }
        head.note(field, range)
    }

    /// RFC 9112 §6.3 item 5 allows a list or a second line of equal values. They are refused here, because no honest client sends
    /// them.
    private mutating func acceptContentLength(_ value: UnsafeRawBufferPointer) throws(MessageError) {
        guard !head.has(.contentLength), let length = Int(contentLength: value) else {
            throw .badContentLength
        }
        // `finish` refuses Content-Length beside Transfer-Encoding.
        head.framing = length == 0 ? .none : .length(length)
    }

    /// Accepts only `chunked`, once. RFC 9112 §6.1: an unknown coding is a 501; §6.3 item 4: if chunked is not the last coding, the
    /// length is unknown, which is a 400.
    private mutating func acceptTransferEncoding(_ value: UnsafeRawBufferPointer) throws(MessageError) {
        guard !head.has(.transferEncoding) else { throw .badTransferEncoding }
        if equalsIgnoringCase(value, "chunked") {
            head.framing = .chunked
            return
        }
        var elements = value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard let last = elements.popLast(), !value.isEmpty else { throw .badTransferEncoding }
        let isChunked = Self.isChunked(last)
        // Chunked that is not the last coding, or is given twice, leaves the length unknown (RFC 9112 §7.1).
        guard !elements.contains(where: Self.isChunked), isChunked || elements.isEmpty else {
            throw .badTransferEncoding
        }
        throw .unknownTransferCoding
    }

    private static func isChunked(_ element: Slice<UnsafeRawBufferPointer>) -> Bool {
        equalsIgnoringCase(UnsafeRawBufferPointer(rebasing: element).trimmed, "chunked")
    }

    /// RFC 9110 §10.1.1: 100-continue from an HTTP/1.0 client is ignored; any other expectation may be
    /// refused.
    private mutating func acceptExpect(_ value: UnsafeRawBufferPointer) throws(MessageError) {
        guard equalsIgnoringCase(value, "100-continue") else { throw .expectationFailed }
        head.expectsContinue = head.minorVersion == 1
    }

    /// RFC 9110 §7.6.1: options are compared without case. Unknown options name fields that no handler
    /// forwards.
    private mutating func acceptConnection(_ value: UnsafeRawBufferPointer) {
        for element in value.split(separator: UInt8(ascii: ",")) {
            let option = UnsafeRawBufferPointer(rebasing: element).trimmed
            if equalsIgnoringCase(option, "close") {
                head.saysClose = true
            } else if equalsIgnoringCase(option, "keep-alive") {
                head.saysKeepAlive = true
            }
        }
    }

    /// Checks that need the whole head.
    mutating func finish() throws(MessageError) {
        // RFC 9112 §3.2: HTTP/1.1 without Host is a 400.
        guard head.minorVersion == 0 || head.has(.host) else { throw .missingHost }
        guard head.has(.transferEncoding) else { return }
        // RFC 9112 §6.1: Transfer-Encoding beside Content-Length ought to be handled as an error, and in
        // HTTP/1.0 its framing is faulty.
        guard head.minorVersion == 1, !head.has(.contentLength) else { throw .badTransferEncoding }
    }
}
