// SPDX-License-Identifier: Apache-2.0

/// For how long an origin is not asked.
package struct OriginRest: Sendable, Hashable {
    /// Until somebody may ask, rounded up; at least 1.
    package var seconds: Int

    package init(seconds: Int) { self.seconds = seconds }
}
