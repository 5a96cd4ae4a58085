// SPDX-License-Identifier: Apache-2.0

/// Limits that a URL itself sets, in addition to those of the settings. They change no picture and are in no key.
package struct URLLimits: Sendable, Hashable {
    /// Pixels of an original, over all frames that are taken; nil = any.
    package var pixels: Int?
    /// Pixels of one frame of an animation, which replace `pixels` there; nil if frames have no limit of their own.
    package var framePixels: Int?
    /// Bytes of an original; nil = any.
    package var bytes: Int?
    /// Pixels of a result's longer side; nil = any.
    package var side: Int?

    /// No limits.
    package init() {}

    package static let none = URLLimits()
}
