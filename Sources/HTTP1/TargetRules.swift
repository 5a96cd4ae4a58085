// SPDX-License-Identifier: Apache-2.0

// The four forms of a request target (RFC 9112 §3.2), the authority in them, and bytes that are not ASCII.

extension RequestParser {
    // RFC 9112 §3 has ASCII alone in a target. Simple programs write the URL in a query as people do, and other servers take
    // it. It is UTF-8 or nothing: then it has one reading, and no parser sees another end of the line in it. Nothing in a path
    // is taken so, since paths decide who answers.

    /// The index of the first byte that belongs to no target.
    /// - Parameter start: of a byte from 0x80.
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
            // RFC 9112 §3.2.4: only for a server-wide OPTIONS.
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
            // A query right after the authority would need a "/" put before it; no client spells one so.
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
