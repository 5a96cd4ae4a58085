// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics

/// The request field in which our proxies record their peers. Only one of the two counts, because a proxy
/// that maintains one field passes the other on as the client wrote it.
package enum ForwardedField: Sendable, Hashable, CaseIterable {
    /// RFC 7239.
    case forwarded
    /// The older field without a standard.
    case xForwardedFor
}

/// One proxy's record: the peer that sent it the request.
package enum ForwardedHop: Sendable, Hashable {
    /// The port is 0 if it is missing or obfuscated.
    case address(IPAddress, port: UInt16)
    /// No address: `unknown`, an obfuscated name, or malformed text.
    case uncertain

    /// Parses a node of RFC 7239 §6, without the quotes around it. Brackets must enclose an IPv6 address, and
    /// nothing else.
    package init(node text: UnsafeRawBufferPointer) {
        guard let (host, port) = Self.split(text), let number = Self.number(port, mayBeHidden: true) else {
            self = .uncertain
            return
        }
        self.init(host, port: number)
    }

    /// Parses an element of X-Forwarded-For: a bare address; IPv4 with a port, which some gateways add; or
    /// IPv6 in brackets, with or without a port.
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

    /// Splits at the colon after the brackets, if there are any. The port is nil without a colon.
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

    /// RFC 7239 §6: one to five digits; 0 for an obfuscated port (§6.3). Nil for anything else.
    private static func number(_ port: UnsafeRawBufferPointer?, mayBeHidden: Bool) -> UInt16? {
        guard let port else { return 0 }
        if mayBeHidden, port.count > 1, port[0] == UInt8(ascii: "_"),
            port.dropFirst().allSatisfy(\.isNameByte)
        {
            return 0
        }
        guard (1...5).contains(port.count), port.allSatisfy(\.isASCIIDigit) else { return nil }
        return UInt16(exactly: Int(saturatingDecimal: port))
    }
}
