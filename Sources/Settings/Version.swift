// SPDX-License-Identifier: Apache-2.0

package enum Version {
    /// Semantic version of this build.
    package static let current = "0.1.0"
}
