// SPDX-License-Identifier: Apache-2.0

/// The proxies whose forwarding fields are trusted: peers from these networks.
package struct TrustedProxies: Sendable, Hashable {
    private var networks: [AddressBlock] = []
    private var holdsUnix = false

    /// Trusts no proxy.
    package init() {}

    /// Parses CIDR networks, single addresses, and `unix` for peers on a unix socket; nil if one of the texts
    /// is none of them.
    package init?(_ texts: [String]) {
        for text in texts {
            if text == "unix" {
                holdsUnix = true
            } else if let block = AddressBlock(text) {
                networks.append(block)
            } else {
                return nil
            }
        }
    }

    /// True if no proxy is trusted.
    package var isEmpty: Bool { networks.isEmpty && !holdsUnix }

    /// True if the peer is trusted; `address` is nil for a peer on a unix socket.
    package func contains(_ address: IPAddress?) -> Bool {
        guard let address = address?.unmapped else { return holdsUnix }
        return networks.contains { $0.contains(address) }
    }
}
