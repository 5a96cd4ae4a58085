// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import JSON
package import Kernel
internal import Recipes

/// Facts that a decoder computed from the pixels. Their JSON is untrusted, because the decoder may have been
/// taken over.
package struct PixelFacts: Sendable, Decodable {
    /// `#rrggbb`, or `#rrggbbaa`.
    private var average: String?
    /// 28 digits of base 83.
    private var blurhash: String?
    /// `#rrggbb`.
    private var dominant: String?
    /// Base64.
    private var thumbhash: String?

    /// Nil if the bytes are unreadable, or not the expected JSON.
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
        if let hash = facts.blurhash, hash.wholeMatch(of: /[0-9A-Za-z#$%*+,\-.:;=?@\[\]^_{|}~]{28}/) == nil {
            return nil
        }
        if let colour = facts.dominant, colour.wholeMatch(of: /#[0-9a-f]{6}/) == nil { return nil }
        if let hash = facts.thumbhash, Data(base64Encoded: hash) == nil { return nil }
        self = facts
    }

    private static let longest = Recipe.longestInspection

    /// The facts, in alphabetical order of their names.
    var members: [(String, JSONText.Value)] {
        [("average", average), ("blurhash", blurhash), ("dominant", dominant), ("thumbhash", thumbhash)]
            .compactMap { name, text in text.map { (name, .text($0)) } }
    }

    /// The average colour by channel, the BlurHash, and the ThumbHash in hexadecimal.
    var channelMembers: [(String, JSONText.Value)] {
        var members: [(String, JSONText.Value)] = []
        if let average {
            members.append(("average", .object(Self.channels(of: average, called: ["R", "G", "B", "A"]))))
        }
        if let blurhash { members.append(("blurhash", .text(blurhash))) }
        if let thumbhash, let bytes = Data(base64Encoded: thumbhash) {
            members.append(("thumb_hash", .text(bytes.map(Self.hexadecimal).joined())))
        }
        return members
    }

    /// The BlurHash, the ThumbHash, and the average colour by channel.
    var typedMembers: [(String, JSONText.Value)] {
        var members: [(String, JSONText.Value)] = []
        if let blurhash { members.append(("blurhash", .text(blurhash))) }
        if let thumbhash { members.append(("thumbhash", .text(thumbhash))) }
        if let average {
            members.append(("average_color", .object(Self.channels(of: average, called: ["r", "g", "b"]))))
        }
        return members
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return byte < 16 ? "0\(digits)" : digits
    }

    private static func channels(of colour: String, called names: [String]) -> [(String, JSONText.Value)] {
        let digits = Array(colour.dropFirst())
        let levels = stride(from: 0, to: digits.count, by: 2).map {
            Int(String(digits[$0..<min($0 + 2, digits.count)]), radix: 16) ?? 0
        }
        return zip(names, levels + [255]).map { ($0, .number($1)) }
    }
}
