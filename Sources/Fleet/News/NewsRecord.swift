// SPDX-License-Identifier: Apache-2.0

/// How far this node has read, and by whom it is known: a small file beside the cache, whole after any crash.
///
///     pictor-fleet 1
///     node 0123456789abcdef0123456789abcdef
///     at 1732545257000-0
///     seen 89abcdef0123456789abcdef01234567 17
package struct NewsRecord: Sendable, Hashable {
    /// Where the node stands in the stream.
    package enum Position: Sendable, Hashable {
        /// Everything up to this entry is carried out; it must still be there, or something may be missing.
        case at(StreamID)
        /// Entries behind it are to be carried out; before it nothing counts. Whether anything behind it was trimmed
        /// cannot be seen, so it is not kept: it is good for the next look alone.
        case after(StreamID)

        package var id: StreamID {
            switch self {
            case .at(let id), .after(let id): id
            }
        }
    }

    /// Nodes that are remembered; beyond, those are forgotten that have said nothing for longest.
    static let limit = 1_000

    /// This node's name: 32 hexadecimal digits, by chance.
    package var node: String
    /// Nil before the first look into the stream, and where the last one is not to be relied on.
    package var position: Position?
    /// The highest number that was carried out of each node, the one that spoke last at the end.
    private(set) var seen: [(node: String, number: UInt64)] = []

    /// A node that nobody knows yet.
    package init(node: String) { self.node = node }

    /// A name that no other node has.
    package static func randomNode() -> String {
        let digits = String(UInt128.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: max(0, 32 - digits.count)) + digits
    }

    /// Notes that a purge is carried out.
    /// - Returns: false if it was before.
    package mutating func note(_ node: String, _ number: UInt64) -> Bool {
        if let index = seen.firstIndex(where: { $0.node == node }) {
            guard seen[index].number < number else { return false }
            seen.remove(at: index)
        }
        seen.append((node, number))
        if seen.count > Self.limit { seen = Array(seen.dropFirst(seen.count - Self.limit)) }
        return true
    }

    /// True if the purge was carried out before.
    package func knows(_ node: String, _ number: UInt64) -> Bool {
        seen.contains { $0.node == node && $0.number >= number }
    }

    /// Forgets numbers that no node can have come to. Purges up to them are carried out again if they come again.
    package mutating func forget(above number: UInt64) { seen.removeAll { $0.number > number } }

    // MARK: As a file

    package var text: String {
        var lines = ["pictor-fleet 1", "node \(node)"]
        switch position {
        case .at(let id): lines.append("at \(id.text)")
        case .after, nil: break
        }
        lines += seen.map { "seen \($0.node) \($0.number)" }
        return lines.joined(separator: "\n") + "\nend\n"
    }

    /// Nil for a file that `text` does not write.
    package init?(text: String) {
        let lines = text.split(separator: "\n").map { $0.split(separator: " ") }
        guard lines.count >= 3, lines[0] == ["pictor-fleet", "1"], lines.last == ["end"], lines[1].count == 2,
            lines[1][0] == "node", PurgeNews.isNode(String(lines[1][1]))
        else { return nil }
        node = String(lines[1][1])
        for line in lines.dropFirst(2).dropLast() {
            switch line.first {
            case "at":
                guard line.count == 2, position == nil, let id = StreamID(line[1]) else { return nil }
                position = .at(id)
            case "seen":
                guard line.count == 3, PurgeNews.isNode(String(line[1])), let number = UInt64(line[2]) else {
                    return nil
                }
                _ = note(String(line[1]), number)
            default: return nil
            }
        }
    }

    package static func == (a: NewsRecord, b: NewsRecord) -> Bool {
        a.text == b.text && a.position == b.position
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
