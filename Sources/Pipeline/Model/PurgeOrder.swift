// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// A purge as requested.
package struct PurgeOrder: Sendable, Hashable {
    /// The originals to purge.
    package var selection: PurgeSelection
    /// True to delete nothing: the originals are stale from now on, and must be revalidated before they count as fresh again.
    package var isSoft: Bool
    /// When the purge was ordered; nil = now. Objects that other nodes wrote into a shared store before that time count as purged,
    /// and originals are stale from that time on.
    package var time: Timestamp?
    /// When the fleet's Redis accepted the order, by its clock; nil for an order of this node.
    package var announced: Timestamp?
    /// True for an order of another node, which itself deletes the objects in a shared store.
    package var isRelayed = false
    /// True for a soft purge after which nothing is served before its origin has confirmed it.
    package var isStrict = false

    /// Hard by default.
    package init(_ selection: PurgeSelection, isSoft: Bool = false) {
        self.selection = selection
        self.isSoft = isSoft
    }
}
