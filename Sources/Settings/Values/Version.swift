// SPDX-License-Identifier: Apache-2.0

/// The version of this program.
package enum Version {
    /// Semantic version.
    package static let current = "0.1.0"
}
