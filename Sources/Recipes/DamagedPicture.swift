// SPDX-License-Identifier: Apache-2.0

/// The treatment of truncated pictures: their header is complete, but their data end early or break off. Part
/// of every rendition's key.
package enum DamagedPicture: String, Sendable, Hashable, CaseIterable {
    /// Refuses the picture: half a picture, cached for long, is worse than none.
    case refuse
    /// Shows the part that the decoder can read; the rest is grey or black.
    case show
}
