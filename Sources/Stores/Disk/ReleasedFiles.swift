// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// Files that the disk cache counts no more: whoever holds one open should let it go, or its bytes stay on the disk beyond
/// every budget.
package enum ReleasedFiles: Sendable, Hashable {
    /// The folder was given up, with everything in it.
    case all
    /// Renditions, by their keys: evicted, purged, replaced, or lost.
    case renditions(Set<RenditionKey>)
}
