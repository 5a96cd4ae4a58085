// SPDX-License-Identifier: Apache-2.0

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

    /// The index after "]". Checks only that the bytes may occur in an address, because users of the host parse it.
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

    /// True for ":" and up to five digits, at most 65,535. Without digits it means the scheme's default port (RFC 3986 §3.2.3).
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
