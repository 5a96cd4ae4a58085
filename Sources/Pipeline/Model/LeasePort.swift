// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import Recipes
package import SourceURLs

/// Leases of the fleet: of all nodes that want the same piece of work, one does it, and the others wait for what it leaves
/// in the shared store.
///
/// A lease ends by itself some seconds after its node has died. It guards no data: whoever gets none does the work
/// without it, and then it is done twice.
package protocol LeasePort: Sendable {
    /// Asks for the lease once, and does not wait for others. The adapter renews it until it is given back.
    ///
    /// - Parameter marker: the marker that this node has looked up in vain: it is as good as none.
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

    /// The fetch of an original, by the SHA-256 of the text of the fetch's key.
    package static func original(_ key: OriginalKey, _ environment: some Environment) -> LeaseName {
        LeaseName("u:\(environment.sha256(Array(key.text.utf8)).hex)")
    }

    /// The making of a rendition.
    package static func rendition(_ key: RenditionKey) -> LeaseName { LeaseName("r:\(key.digest.hex)") }
}

/// A lease that this node holds.
package struct Lease: Sendable, Hashable {
    /// The name of the work.
    package let name: LeaseName
    /// Tells it from every other lease of this name.
    package let token: String

    /// Held from now on.
    package init(name: LeaseName, token: String) {
        self.name = name
        self.token = token
    }
}

/// A mark that a node leaves in place of a lease, for some seconds: the work is done.
package struct LeaseMarker: Sendable, Hashable {
    /// Different for each lease.
    package let text: String

    /// As it was left.
    package init(text: String) { self.text = text }
}

/// The answer of a node that was asked for a lease.
package enum LeaseVerdict: Sendable, Hashable {
    /// This node has the lease now.
    case led(Lease)
    /// This node has the lease already, for another request, from before a purge.
    case own
    /// Another node has it.
    case held
    /// A node has done the work and written the result.
    case done(LeaseMarker)
    /// A node has done the work, and its result is for nobody else.
    case unshared
    /// There are no leases at present.
    case unavailable
}

/// How a lease ends.
package enum LeaseEnd: Sendable, Hashable {
    /// The shared store has the result.
    case done
    /// The result is in no store: a failure, a picture that may not be kept, a store that does not take it.
    case unshared
    /// There is no result, and another node may try.
    case abandoned
}
