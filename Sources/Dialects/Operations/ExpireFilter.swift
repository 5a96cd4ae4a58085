// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// `expire(milliseconds)`: the time at which a URL expires.
enum ExpireFilter {
    static let name = "expire"

    /// Unix time in seconds, rounded down; nil for invalid text.
    static func seconds(_ call: FilterCall) -> Int64? {
        guard let text = call.text(0), (1...15).contains(text.utf8.count),
            text.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        return Int64(text).map { $0 / 1_000 }
    }

    /// The earliest time of all `expire` filters; nil without one.
    static func seconds(in filters: [FilterCall]) -> Int64? {
        filters.filter { $0.name == name }.compactMap(seconds).min()
    }
}
