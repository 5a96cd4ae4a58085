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

/// `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2), without user information.
enum Authority {
    /// True for a valid authority. An empty one is valid: RFC 9110 §7.2 has clients send an empty `Host` if
    /// the target has no authority.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let end = hostEnd(bytes) else { return false }
        return end == bytes.count || isPort(UnsafeRawBufferPointer(rebasing: bytes[end...]))
    }

    private static func hostEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
        bytes.first == UInt8(ascii: "[") ? literalEnd(bytes) : nameEnd(bytes)
    }

    /// The index after "]"; checks the alphabet of the address only, since its users parse it.
    private static func literalEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "]") {
            let byte = bytes[index]
            guard ByteClass.isHexadecimal(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
            else { return nil }
            index += 1
        }
        return index < bytes.count && index > 2 ? index + 1 : nil
    }

    /// The index of the port's colon, or the end. Labels must not be empty, except for the root's at the end.
    private static func nameEnd(_ bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 0
        var label = 0
        while index < bytes.count, bytes[index] != UInt8(ascii: ":") {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < bytes.count, ByteClass.isHexadecimal(bytes[index + 1]),
                    ByteClass.isHexadecimal(bytes[index + 2])
                else { return nil }
                index += 2
            } else if !ByteClass.isHost(byte) {
                return nil
            }
            if byte == UInt8(ascii: "."), label == 0 { return nil }
            label = byte == UInt8(ascii: ".") ? 0 : label + 1
            index += 1
        }
        return index
    }

    /// ":" and up to five digits, at most 65,535. Without digits it is the scheme's default port (RFC 3986
    /// §3.2.3).
    private static func isPort(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.first == UInt8(ascii: ":"), bytes.count <= 6 else { return false }
        var port = 0
        for byte in bytes.dropFirst() {
            guard ByteClass.isDigit(byte) else { return false }
            port = port * 10 + Int(byte - UInt8(ascii: "0"))
        }
        return port <= 65_535
    }
}
