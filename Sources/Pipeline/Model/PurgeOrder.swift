// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// A purge as requested.
package struct PurgeOrder: Sendable, Hashable {
    /// The originals to purge.
    package var selection: PurgeSelection
    /// True to delete nothing: held originals are stale from now on, and revalidated before they are served
    /// as fresh again.
    package var isSoft: Bool
    /// When it was ordered; nil = now. Objects that other nodes wrote into a shared store before that count as purged, and
    /// originals are stale from then on.
    package var time: Timestamp?
    /// When the fleet's Redis took it, by its clock; nil for an order of this node.
    package var announced: Timestamp?
    /// True for another node's order: what is to be deleted in a shared store is deleted by that node.
    package var isRelayed = false
    /// True for a soft one after which nothing is served before its origin has confirmed it.
    package var isStrict = false

    /// Hard by default.
    package init(_ selection: PurgeSelection, isSoft: Bool = false) {
        self.selection = selection
        self.isSoft = isSoft
    }
}
