// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import JSON
package import Kernel
internal import Recipes

/// What a decoder has learnt from the pixels. It wrote JSON, and is not trusted to have written what was asked for.
package struct PixelFacts: Sendable, Decodable {
    /// `#rrggbb`, or `#rrggbbaa`.
    private var average: String?
    /// Base64.
    private var thumbhash: String?

    /// Nil: the bytes are gone, or are nothing of the kind.
    package init?(_ body: Body) {
        let bytes: ImmutableBytes
        switch body {
        case .bytes(let held): bytes = held
        case .file(let file, let length):
            guard length <= Self.longest, let read = file.bytes(count: length) else { return nil }
            bytes = read
        }
        guard bytes.count <= Self.longest,
            let facts = UntrustedJSON.read(PixelFacts.self, from: bytes.buffer)
        else { return nil }
        if let average = facts.average, average.wholeMatch(of: /#([0-9a-f]{6}|[0-9a-f]{8})/) == nil {
            return nil
        }
        if let hash = facts.thumbhash, Data(base64Encoded: hash) == nil { return nil }
        self = facts
    }

    private static let longest = Recipe.longestInspection

    /// In the order of their names.
    var members: [(String, JSONText.Value)] {
        [("average", average), ("thumbhash", thumbhash)].compactMap { name, text in
            text.map { (name, .text($0)) }
        }
    }
}
