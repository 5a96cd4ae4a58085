// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// Originals that are handed on as they came, whatever is asked of them.
package struct PassedOriginals: Sendable, Hashable {
    /// Whole formats.
    package var formats: Set<ImageFormat>
    /// Pictures of several frames.
    package var animations: Bool

    /// Every original is worked on.
    package static let none = PassedOriginals(formats: [], animations: false)

    /// Takes both as they are.
    package init(formats: Set<ImageFormat>, animations: Bool) {
        self.formats = formats
        self.animations = animations
    }

    /// Whether an original with this header is one of them.
    package func contains(_ header: ImageHeader) -> Bool {
        formats.contains(header.format) || animations && header.format.canAnimate && header.pages > 1
    }
}
