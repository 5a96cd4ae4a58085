// SPDX-License-Identifier: Apache-2.0

/// Parts of a JSON answer that the header does not give.
package struct JSONExtras: OptionSet, Sendable, Hashable {
    /// A bit for each part.
    package let rawValue: UInt8
    /// A set of the given bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A placeholder of a few bytes, shown while the picture loads (ThumbHash).
    package static let thumbhash = JSONExtras(rawValue: 1)
    /// The average colour.
    package static let average = JSONExtras(rawValue: 2)
    /// The value of a `srcset` attribute for this source.
    package static let srcset = JSONExtras(rawValue: 4)

    /// Another such placeholder (BlurHash), with four terms across and three down.
    package static let blurhash = JSONExtras(rawValue: 8)
    /// The most frequent colour.
    package static let dominant = JSONExtras(rawValue: 16)

    /// The parts that need pixels.
    package static let ofPixels: JSONExtras = [.average, .blurhash, .dominant, .thumbhash]

    /// The parts by their names in URLs, in alphabetical order.
    package static let names: [(name: String, member: JSONExtras)] = [
        ("average", .average), ("blurhash", .blurhash), ("dominant", .dominant), ("srcset", .srcset),
        ("thumbhash", .thumbhash),
    ]
}
