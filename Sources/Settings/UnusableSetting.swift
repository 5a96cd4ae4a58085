// SPDX-License-Identifier: Apache-2.0

/// A valid text that cannot be used as the value of a setting.
package struct UnusableSetting: Error, CustomStringConvertible {
    /// Names the setting and the reason.
    package let description: String

    /// `description` must name the setting.
    package init(description: String) {
        self.description = description
    }

    /// Takes several mistakes as one error.
    package init(_ mistakes: [String]) { description = mistakes.joined(separator: "\n") }

    /// One sentence for each mistake.
    package var mistakes: [String] { description.split(separator: "\n").map(String.init) }
}
