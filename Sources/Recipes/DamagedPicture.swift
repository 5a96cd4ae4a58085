// SPDX-License-Identifier: Apache-2.0

/// What becomes of a picture whose data end early or break off, behind a header that is whole. Part of every
/// rendition's key.
package enum DamagedPicture: String, Sendable, Hashable, CaseIterable {
    /// It is refused: half a picture, kept for long, is worse than none.
    case refuse
    /// It is shown as far as its decoder gets; the rest is what the decoder fills it with, grey or black.
    case show
}
