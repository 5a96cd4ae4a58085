// SPDX-License-Identifier: Apache-2.0

/// What an answer in JSON tells beyond the header.
package struct JSONExtras: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A few bytes that stand in for the picture while it loads.
    package static let thumbhash = JSONExtras(rawValue: 1)
    /// The average colour.
    package static let average = JSONExtras(rawValue: 2)
    /// A ready `srcset` of this source.
    package static let srcset = JSONExtras(rawValue: 4)

    package static let names: [(name: String, member: JSONExtras)] = [
        ("average", .average), ("srcset", .srcset), ("thumbhash", .thumbhash),
    ]
}
