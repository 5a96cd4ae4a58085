// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
/// The request field in which proxies write down whom a request came from. Only one of them counts: a proxy that
/// keeps one of them in order passes the other on as its client wrote it.
package enum ForwardedField: Sendable, Hashable, CaseIterable {
    /// RFC 7239.
    case forwarded
    /// Its predecessor, of no standard.
    case xForwardedFor
}

/// What one proxy wrote down: whom it had the request from.
package enum ForwardedHop: Sendable, Hashable {
    /// Port 0 where it is not told, or hidden.
    case address(IPAddress, port: UInt16)
    /// No address: `unknown`, an obfuscated name, or something that cannot be read.
    case uncertain

    /// A node of RFC 7239 §6, without the quotes around it. Brackets belong to an IPv6 address and to nothing else.
    package init(node text: UnsafeRawBufferPointer) {
        guard let (host, port) = Self.split(text), let number = Self.number(port, mayBeHidden: true) else {
            self = .uncertain
            return
        }
        self.init(host, port: number)
    }

    /// An element of X-Forwarded-For: an address; an IPv4 one with a port, which some gateways add; an IPv6 one with or
    /// without brackets, in these with or without a port.
    package init(element text: UnsafeRawBufferPointer) {
        if let bare = IPAddress(text) {
            self = .address(bare.unmapped, port: 0)
        } else if let (host, port) = Self.split(text), let number = Self.number(port, mayBeHidden: false) {
            self.init(host, port: number)
        } else {
            self = .uncertain
        }
    }

    private init(_ host: UnsafeRawBufferPointer, port: UInt16) {
        let isBracketed = host.first == UInt8(ascii: "[")
        let text = isBracketed ? UnsafeRawBufferPointer(rebasing: host.dropFirst().dropLast()) : host
        switch IPAddress(text) {
        case .v4(let value)? where !isBracketed: self = .address(.v4(value), port: port)
        case .v6(let high, let low)? where isBracketed:
            self = .address(IPAddress.v6(high, low).unmapped, port: port)
        default: self = .uncertain
        }
    }

    /// At the colon that is behind the brackets, if there are any. The port is nil where no colon is.
    private static func split(
        _ text: UnsafeRawBufferPointer
    ) -> (host: UnsafeRawBufferPointer, port: UnsafeRawBufferPointer?)? {
        var end = 0
        if text.first == UInt8(ascii: "[") {
            guard let bracket = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            end = bracket + 1
        } else {
            end = text.firstIndex(of: .colon) ?? text.count
        }
        let host = UnsafeRawBufferPointer(rebasing: text[..<end])
        if end == text.count { return (host, nil) }
        guard text[end] == .colon else { return nil }
        return (host, UnsafeRawBufferPointer(rebasing: text[(end + 1)...]))
    }

    /// RFC 7239 §6: one to five digits, or an obfuscated port. Nil where it is neither.
    private static func number(_ port: UnsafeRawBufferPointer?, mayBeHidden: Bool) -> UInt16? {
        guard let port else { return 0 }
        if mayBeHidden, port.count > 1, port[0] == UInt8(ascii: "_"), port.dropFirst().allSatisfy(isHiding) {
            return 0
        }
        guard (1...5).contains(port.count), port.allSatisfy(\.isDigit) else { return nil }
        return UInt16(exactly: Int(saturatingDecimal: port))
    }

    /// Of an obfuscated name or port (RFC 7239 §6.3).
    private static func isHiding(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, .dot, .dash, UInt8(ascii: "_"): true
        default: false
        }
    }
}
