// SPDX-License-Identifier: Apache-2.0

/// Removes a border of one colour.
package struct Trim: Sendable, Hashable {
    /// 1…254: how far a pixel may be from the border's colour.
    package var threshold: Int
    /// Nil = that of the top left pixel.
    package var color: Color?

    package init(threshold: Int = 10, color: Color? = nil) {
        self.threshold = threshold
        self.color = color
    }
}
