// SPDX-License-Identifier: Apache-2.0

/// Names an original by where it comes from: the normalised source URL.
package struct OriginalKey: Sendable, Hashable {
    package let url: String
    package init(url: String) { self.url = url }
}
