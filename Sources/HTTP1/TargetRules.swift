// SPDX-License-Identifier: Apache-2.0

// The four forms of a request target (RFC 9112 §3.2), the authority in them, and bytes that are not ASCII.

extension RequestParser {
    // RFC 9112 §3 allows only ASCII in a target. Simple programs write the URL in a query without percent-encoding, and other servers
    // accept that. Such bytes are accepted only if they are UTF-8, so that they have one reading and no parser sees a line end in
    // them. They are refused in a path, because paths decide which handler answers.

    /// The index of the first byte that cannot be part of a target.
    /// - Parameter start: the index of a byte from 0x80 on.
    mutating func skipWideBytes(
        _ input: UnsafeRawBufferPointer, from start: Int, to stop: Int
    ) throws(MessageError) -> Int {
        if !isTargetWide {
            guard input[mark..<start].contains(UInt8(ascii: "?")) else { throw .badTarget }
            isTargetWide = true
        }
        var index = start
        while index < stop, input[index] >= 0x80 || ByteClass.isTarget(input[index]) { index += 1 }
        return index
    }

    func checkWideBytes(_ target: UnsafeRawBufferPointer) throws(MessageError) {
        if isTargetWide, String(validating: target, as: UTF8.self) == nil { throw .badTarget }
    }

    mutating func classifyTarget(_ range: ByteRun, _ input: UnsafeRawBufferPointer) throws(MessageError) {
        let target = range.slice(of: input)
        head.targetRange = range
        guard let first = target.first else { throw .badRequestLine }
        if first == UInt8(ascii: "/") { return }
        if first == UInt8(ascii: "*"), target.count == 1 {
            // RFC 9112 §3.2.4: "*" is only for a server-wide OPTIONS.
            guard head.method == .options else { throw .badTarget }
            head.form = .asterisk
            return
        }
        try splitAbsolute(range, target)
    }

    /// RFC 9112 §3.2.2: a server accepts the absolute form, although clients send it to proxies only, and
    /// takes the host from it.
    private mutating func splitAbsolute(
        _ range: ByteRun, _ target: UnsafeRawBufferPointer
    ) throws(MessageError) {
        guard let start = Self.authorityStart(target) else { throw .badTarget }
        var stop = start
        while stop < target.count, target[stop] != UInt8(ascii: "/") {
            // A query directly after the authority would need a "/" inserted before it; no client sends one.
            guard target[stop] != UInt8(ascii: "?") else { throw .badTarget }
            stop += 1
        }
        // RFC 9110 §4.2.1: an http URI with an empty host is invalid.
        let authority = UnsafeRawBufferPointer(rebasing: target[start..<stop])
        guard let first = authority.first, first != UInt8(ascii: ":"), Authority.isValid(authority) else {
            throw .badTarget
        }
        head.form = .absolute
        head.authorityRange = ByteRun(Int(range.start) + start, Int(range.start) + stop)
        head.targetRange = ByteRun(Int(range.start) + stop, range.end)
    }

    private static func authorityStart(_ target: UnsafeRawBufferPointer) -> Int? {
        for scheme in ["http://", "https://"] as [StaticString] {
            let count = scheme.utf8CodeUnitCount
            guard target.count > count else { continue }
            // Setting bit 5 leaves ":" and "/" as they are, and no other target byte becomes one of them.
            let prefix = UnsafeRawBufferPointer(rebasing: target[..<count])
            if equalsIgnoringCase(prefix, scheme) { return count }
        }
        return nil
    }
}
