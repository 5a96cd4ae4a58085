// SPDX-License-Identifier: Apache-2.0

package import Clients
package import HTTPSemantics

/// By what the client of a request is known: the other end of its connection, unless that is a trusted proxy and a
/// field is named in which our proxies keep book (`ForwardedTrail`).
package struct ClientRule: Sendable, Hashable {
    package var proxies = TrustedProxies()
    /// Nil: no field counts.
    package var field: ForwardedField?

    package init(proxies: TrustedProxies = TrustedProxies(), field: ForwardedField? = nil) {
        self.proxies = proxies
        self.field = field
    }

    /// The client of a request whose head is whole. `bytes` begin with it.
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

    /// The same of fields that were copied.
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
