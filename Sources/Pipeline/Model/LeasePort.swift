// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import Recipes
package import SourceURLs

/// Leases of the fleet: of all nodes that want the same piece of work, one does it, and the others wait for its result in the shared
/// store.
///
/// A lease ends by itself some seconds after its node has died. It guards no data: a node that gets no lease does the work without
/// one, so the work may be done twice.
package protocol LeasePort: Sendable {
    /// Asks for the lease once, and does not wait for others. The adapter renews it until it is given back.
    ///
    /// - Parameter marker: a marker whose result this node has looked up in vain; it counts as no marker.
    func take(_ name: LeaseName, over marker: LeaseMarker?) async -> LeaseVerdict
    /// Gives a lease back. Must not block.
    func release(_ lease: Lease, _ end: LeaseEnd)
    /// The node that holds the lease; nil for none, or if it cannot be asked.
    func holder(of name: LeaseName) async -> String?
}

/// The name of a piece of work, the same on all nodes.
package struct LeaseName: Sendable, Hashable {
    /// Letters, digits and colons.
    package let text: String

    private init(_ text: String) { self.text = text }

    /// The lease for fetching an original; named by the SHA-256 of the fetch key's text.
    package static func original(_ key: OriginalKey, _ environment: some Environment) -> LeaseName {
        LeaseName("u:\(environment.sha256(Array(key.text.utf8)).hex)")
    }

    /// The lease for making a rendition.
    package static func rendition(_ key: RenditionKey) -> LeaseName { LeaseName("r:\(key.digest.hex)") }
}

/// A lease that this node holds.
package struct Lease: Sendable, Hashable {
    /// The name of the piece of work.
    package let name: LeaseName
    /// Distinguishes this lease from every other lease of this name.
    package let token: String

    /// Creates a lease that this node holds from now on.
    package init(name: LeaseName, token: String) {
        self.name = name
        self.token = token
    }
}

/// A mark that a node leaves in place of a lease for some seconds: the work is done.
package struct LeaseMarker: Sendable, Hashable {
    /// Differs for each lease.
    package let text: String

    /// Creates a marker from the text that was left.
    package init(text: String) { self.text = text }
}

/// The answer to a request for a lease.
package enum LeaseVerdict: Sendable, Hashable {
    /// This node has the lease now.
    case led(Lease)
    /// This node already holds the lease for another request that began before a purge.
    case own
    /// Another node holds the lease.
    case held
    /// A node has done the work and written the result.
    case done(LeaseMarker)
    /// A node has done the work, and its result may not be shared with other nodes.
    case unshared
    /// Leases cannot be had at present.
    case unavailable
}

/// How a lease ends.
package enum LeaseEnd: Sendable, Hashable {
    /// The shared store has the result.
    case done
    /// The result is in no store: it is a failure, the picture may not be kept, or the store refused it.
    case unshared
    /// There is no result, and another node may try.
    case abandoned
}
