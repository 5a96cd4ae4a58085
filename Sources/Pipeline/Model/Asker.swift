// SPDX-License-Identifier: Apache-2.0

internal import Clients

/// The client that wants a piece of work, as fair sharing counts it. All clients without an address count as one.
package struct Asker: Sendable, Hashable {
    private let client: ClientKey?

    /// - Parameter client: nil for a client without an address.
    init(_ client: ClientKey?) { self.client = client }
}
