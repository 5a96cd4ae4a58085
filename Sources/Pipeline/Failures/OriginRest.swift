// SPDX-License-Identifier: Apache-2.0

/// The rest of an origin that is left alone.
package struct OriginRest: Sendable, Hashable {
    /// Until a request may ask it, rounded up; at least 1.
    package var seconds: Int

    package init(seconds: Int) { self.seconds = seconds }
}
