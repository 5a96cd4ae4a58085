// SPDX-License-Identifier: Apache-2.0

/// The proxies whose word about their clients counts: whoever connects from one of their networks.
package struct TrustedProxies: Sendable, Hashable {
    private var networks: [AddressBlock] = []
    private var holdsUnix = false

    /// None.
    package init() {}

    /// CIDR networks, single addresses, and `unix` for whoever connects to a unix socket. Nil: one of them is neither.
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

    package var isEmpty: Bool { networks.isEmpty && !holdsUnix }

    /// Nil is the other end of a unix socket.
    package func contains(_ address: IPAddress?) -> Bool {
        guard let address = address?.unmapped else { return holdsUnix }
        return networks.contains { $0.contains(address) }
    }
}
