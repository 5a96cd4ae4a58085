// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// Originals that are passed on unchanged, whatever the request asks for.
package struct PassedOriginals: Sendable, Hashable {
    /// Formats that are passed on.
    package var formats: Set<ImageFormat>
    /// True to pass on pictures of several frames.
    package var animations: Bool

    /// No original is passed on.
    package static let none = PassedOriginals(formats: [], animations: false)

    /// Takes both without a check.
    package init(formats: Set<ImageFormat>, animations: Bool) {
        self.formats = formats
        self.animations = animations
    }

    /// True if an original with this header is passed on.
    package func contains(_ header: ImageHeader) -> Bool {
        formats.contains(header.format) || animations && header.format.canAnimate && header.pages > 1
    }
}
