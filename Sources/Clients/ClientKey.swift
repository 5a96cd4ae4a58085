// SPDX-License-Identifier: Apache-2.0

/// The identity of a client for rate limits: an IPv4 address, or an IPv6 network, because a single customer gets a whole network (RFC
/// 6177), and may use a new address in it for every connection. The network of a translator stands for all of IPv4 (RFC 7755), so
/// there a client is the IPv4 address inside.
package struct ClientKey: Sendable, Hashable {
    let high: UInt64
    let low: UInt64

    /// 16 bytes, different for each client.
    package var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }

    /// - Parameter prefix: leading bits of an IPv6 address that identify the client, 0…128.
    package init(_ address: IPAddress, prefix: Int) {
        let address = address.translated ?? address.unmapped
        switch address {
        case .v4:
            (high, low) = (0, UInt64(truncatingIfNeeded: address.mapped))
        case .v6(let high, let low):
            self.high = high & ~(UInt64.max >> prefix)
            self.low = low & ~(UInt64.max >> max(0, prefix - 64))
        }
    }

    /// Nil for a peer without an address, as on a Unix socket.
    /// - Parameter prefix: as for an address.
    package init?(_ peer: PeerAddress, prefix: Int) {
        guard let address = peer.ip else { return nil }
        self.init(address, prefix: prefix)
    }
}
