// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// Files that the disk cache no longer counts. Holders should close them, because their bytes stay on the
/// disk outside of every budget.
package enum ReleasedFiles: Sendable, Hashable {
    /// All files: the folder was given up.
    case all
    /// Renditions, by their keys: evicted, purged, replaced, or lost.
    case renditions(Set<RenditionKey>)
}
