// SPDX-License-Identifier: Apache-2.0

/// A setting that is well-formed but cannot be used.
package struct UnusableSetting: Error, CustomStringConvertible {
    /// Names the setting and the reason.
    package let description: String

    /// `description` must name the setting.
    package init(description: String) {
        self.description = description
    }
}
