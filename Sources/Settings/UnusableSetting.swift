// SPDX-License-Identifier: Apache-2.0

/// A setting that is well-formed by itself and yet cannot be used.
package struct UnusableSetting: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
        self.description = description
    }
}
