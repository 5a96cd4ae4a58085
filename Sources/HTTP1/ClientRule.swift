// SPDX-License-Identifier: Apache-2.0

package import Clients
package import HTTPSemantics

/// Finds the client of a request: the connection's peer, or, behind a trusted proxy, the address in the field
/// that our proxies fill in (`ForwardedTrail`).
package struct ClientRule: Sendable, Hashable {
    /// Proxies whose field is trusted; empty by default.
    package var proxies = TrustedProxies()
    /// The field that our proxies fill in; nil if no field is read.
    package var field: ForwardedField?

    /// The default trusts no proxy: the peer is the client.
    package init(proxies: TrustedProxies = TrustedProxies(), field: ForwardedField? = nil) {
        self.proxies = proxies
        self.field = field
    }

    /// The client of a request; `bytes` begin with its complete head.
    package func client(
        of head: RequestHead, in bytes: UnsafeRawBufferPointer, from peer: PeerAddress
    ) -> PeerAddress {
        guard let field, let value = head.value(field.known), proxies.contains(peer.ip) else { return peer }
        var trail = ForwardedTrail(proxies: proxies)
        if head.isRepeated(field.known) {
            let wanted = field.known.name
            head.forEachField(of: bytes) { name, value in
                if equalsIgnoringCase(name, wanted) { trail.read(value, of: field) }
            }
        } else {
            trail.read(value.slice(of: bytes), of: field)
        }
        return trail.client.map { PeerAddress($0.address, port: $0.port) } ?? peer
    }

    /// The client of a request that was copied into `Fields`.
    package func client(of fields: Fields, from peer: PeerAddress) -> PeerAddress {
        guard let field, proxies.contains(peer.ip) else { return peer }
        var trail = ForwardedTrail(proxies: proxies)
        for value in fields.values("\(field.known.name)") {
            value.withFieldBytes { trail.read($0, of: field) }
        }
        return trail.client.map { PeerAddress($0.address, port: $0.port) } ?? peer
    }
}

extension ForwardedField {
    fileprivate var known: KnownField {
        switch self {
        case .forwarded: .forwarded
        case .xForwardedFor: .xForwardedFor
        }
    }
}
