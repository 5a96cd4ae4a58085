// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Unix times in a form for people.
package enum UnixTime {
    /// The number and its date: `1700000000, 2023-11-14T22:13:20Z`.
    package static func text(_ seconds: Int64) -> String {
        "\(seconds), \(Date(timeIntervalSince1970: Double(seconds)).ISO8601Format())"
    }
}
