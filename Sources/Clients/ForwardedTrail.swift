// SPDX-License-Identifier: Apache-2.0
//
// Who sent a request that came by way of trusted proxies. Each proxy appends the address of its own peer, so the list
// is read from the right, and as far as it was written by those we trust:
//
//     X-Forwarded-For:  6.6.6.6,  203.0.113.9,  10.0.0.2      peer: 10.0.0.1      trusted: 10.0.0.0/8
//                       ▲         ▲             ▲
//                       │         │             └ 10.0.0.1 says so, and it is one of ours
//                       │         └ 10.0.0.2 says so; it is none of ours: the client
//                       └ only the client says so: anything may stand here
//
// What cannot be read ends the walk, and the client is the last address that was certain: the hop to the right of it,
// or the peer. So a client can hide behind our own proxy, and never behind somebody else's address.

internal import HTTPSemantics

/// Reads hops from left to right, which comes to the same and takes one pass over any number of field lines, without
/// looking for the beginning of a quoted string from its end: each certain hop takes the place of all that stand to
/// the left of it, unless it is one of ours and they say whom it had the request from.
package struct ForwardedTrail {
    /// The client by the hops so far; nil: whoever wrote the last of them down.
    package private(set) var client: (address: IPAddress, port: UInt16)?
    private let proxies: TrustedProxies

    package init(proxies: TrustedProxies) { self.proxies = proxies }

    /// The next of the field's lines, in their order.
    package mutating func read(_ line: UnsafeRawBufferPointer, of field: ForwardedField) {
        var scanner = FieldScanner(line)
        while scanner.nextElement() {
            switch field {
            case .forwarded: pass(Self.forwarded(&scanner))
            case .xForwardedFor: pass(ForwardedHop(element: scanner.take { $0 != .comma }.trimmed))
            }
        }
    }

    package mutating func pass(_ hop: ForwardedHop) {
        switch hop {
        case .uncertain: client = nil
        case .address(let address, let port):
            if client == nil || !proxies.contains(address) { client = (address, port) }
        }
    }

    /// RFC 7239 §4: `for=…;by=…;host=…;proto=…` in any order, each at most once. White space around the semicolons,
    /// which many write, is passed over.
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

    /// Where a quoted string has no end, all that follows in the line belongs to it.
    private static func broken(_ scanner: inout FieldScanner) -> ForwardedHop {
        scanner.skipElement()
        return .uncertain
    }
}
