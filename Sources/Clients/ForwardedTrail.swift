// SPDX-License-Identifier: Apache-2.0
//
// Finds the client behind trusted proxies. Each proxy appends the address of its own peer, so the list is
// read from the right, as far as trusted proxies wrote it:
//
//     X-Forwarded-For:  6.6.6.6,  203.0.113.9,  10.0.0.2      peer: 10.0.0.1      trusted: 10.0.0.0/8
//                       ▲         ▲             ▲
//                       │         │             └ 10.0.0.1 says so, and it is one of ours
//                       │         └ 10.0.0.2 says so; it is none of ours: the client
//                       └ only the client says so: anything may stand here
//
// A malformed hop ends the walk: the client is then the last certain address, which is the hop to its right,
// or the peer. So a client can hide behind our own proxy, and never behind a foreign address.

internal import HTTPSemantics

/// Reads the hops from left to right, with the same result, in one pass over any number of lines and without parsing quoted strings
/// backwards. Each certain hop replaces all hops to its left, unless it is a trusted proxy and the hop before it is certain.
package struct ForwardedTrail {
    /// The client according to the hops so far; nil if the last hop is uncertain, so that the proxy that wrote it counts as the
    /// client.
    package private(set) var client: (address: IPAddress, port: UInt16)?
    private let proxies: TrustedProxies

    /// Creates a trail without hops.
    package init(proxies: TrustedProxies) { self.proxies = proxies }

    /// Reads the field's next line.
    package mutating func read(_ line: UnsafeRawBufferPointer, of field: ForwardedField) {
        var scanner = FieldScanner(line)
        while scanner.nextElement() {
            switch field {
            case .forwarded: pass(Self.forwarded(&scanner))
            case .xForwardedFor: pass(ForwardedHop(element: scanner.take { $0 != .comma }.trimmed))
            }
        }
    }

    /// Adds the next hop.
    package mutating func pass(_ hop: ForwardedHop) {
        switch hop {
        case .uncertain: client = nil
        case .address(let address, let port):
            if client == nil || !proxies.contains(address) { client = (address, port) }
        }
    }

    /// RFC 7239 §4: `for=…;by=…;host=…;proto=…` in any order, each at most once. White space around the
    /// semicolons, which many proxies write, is skipped.
    private static func forwarded(_ scanner: inout FieldScanner) -> ForwardedHop {
        var hop: ForwardedHop?
        repeat {
            scanner.skipWhitespace()
            if scanner.peek == .semicolon || scanner.isAtElementEnd() { continue }
            guard let name = scanner.token(), scanner.take(.equals),
                let value = scanner.quotedString() ?? scanner.token()
            else { return broken(&scanner) }
            if name.isSame(as: "for") {
                guard hop == nil else { return broken(&scanner) }
                hop = ForwardedHop(node: value)
            }
            scanner.skipWhitespace()
        } while scanner.take(.semicolon)
        return scanner.isAtElementEnd() ? hop ?? .uncertain : broken(&scanner)
    }

    /// Skips a malformed element; an unclosed quoted string extends to the end of the line.
    private static func broken(_ scanner: inout FieldScanner) -> ForwardedHop {
        scanner.skipElement()
        return .uncertain
    }
}
