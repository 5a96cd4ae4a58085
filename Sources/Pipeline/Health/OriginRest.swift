// SPDX-License-Identifier: Apache-2.0

/// Why an origin is not asked, and for how long.
package struct OriginRest: Sendable, Hashable {
    package enum Cause: String, Sendable, Hashable {
        case failing, throttled

        /// What the origin did, for people.
        package var words: String {
            switch self {
            case .failing: "failed again and again"
            case .throttled: "asked for a pause"
            }
        }
    }

    package var cause: Cause
    /// Until somebody may ask, rounded up; at least 1.
    package var seconds: Int

    package init(cause: Cause, seconds: Int) {
        self.cause = cause
        self.seconds = seconds
    }
}
