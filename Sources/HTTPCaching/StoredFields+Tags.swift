// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

extension StoredFields {
    /// The most tags that are kept of one original, which protects the index against origins that send too many.
    package static let tagLimit = 256

    /// The origin's purge tags for the original, without duplicates, in order: `Cache-Tag` separates them by
    /// commas, `Surrogate-Key` by spaces.
    package var tags: [String] {
        var tags: [String] = []
        var seen: Set<String> = []
        /// Adds the parts of a value, byte by byte, and stops at the limit.
        func take(_ value: String?, isEnd: (UInt8) -> Bool) {
            var rest = (value ?? "").utf8[...]
            while !rest.isEmpty, tags.count < Self.tagLimit {
                let part = rest.prefix { !isEnd($0) }
                rest = rest[part.endIndex...].dropFirst()
                let tag = String(decoding: part, as: UTF8.self).withFieldBytes { $0.trimmed.text }
                if !tag.isEmpty, seen.insert(tag).inserted { tags.append(tag) }
            }
        }
        take(self[.cacheTag]) { $0 == .comma }
        take(self[.surrogateKey]) { $0 == .space || $0 == .tab || $0 == .comma }
        return tags
    }

    /// False if the serialized fields hold no tags, which saves parsing them.
    package static func mayHaveTags(serialized: String) -> Bool {
        [Name.cacheTag, .surrogateKey].contains { serialized.contains("\($0.rawValue): ") }
    }

    /// The lines of serialized fields that `tags` reads.
    package static func tagLines(serialized: String) -> String {
        let beginnings = [Name.cacheTag, .surrogateKey].map { Array("\($0.rawValue): ".utf8) }
        let lines = serialized.utf8.split(separator: 0x0A).filter { line in
            beginnings.contains { line.starts(with: $0) }
        }
        return lines.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
    }
}
