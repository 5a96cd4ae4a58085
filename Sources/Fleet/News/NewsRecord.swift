// SPDX-License-Identifier: Apache-2.0

/// How far this node has read the stream, and the name by which other nodes know it. It is kept in a small file beside the cache,
/// which is whole after any crash.
///
///     pictor-fleet 1
///     node 0123456789abcdef0123456789abcdef
///     at 1732545257000-0
///     seen 89abcdef0123456789abcdef01234567 17
package struct NewsRecord: Sendable, Hashable {
    /// This node's position in the stream.
    package enum Position: Sendable, Hashable {
        /// Everything up to and including this entry is carried out. If the entry is gone, purges behind it may have been
        /// trimmed.
        case at(StreamID)
        /// The entries behind this ID are still to be carried out; earlier ones do not matter. It does not show whether entries
        /// behind it were trimmed, so it is used for the next look only and not written to the file.
        case after(StreamID)

        package var id: StreamID {
            switch self {
            case .at(let id), .after(let id): id
            }
        }
    }

    /// The most nodes that are remembered; beyond that, the node that has been silent for longest is forgotten.
    static let limit = 1_000

    /// This node's name: 32 random hexadecimal digits.
    package var node: String
    /// Nil before the first look into the stream, and when the last position cannot be relied on.
    package var position: Position?
    /// For each node the highest number that was carried out. The node that spoke last is at the end.
    private(set) var seen: [(node: String, number: UInt64)] = []

    /// Makes the record of a new node.
    package init(node: String) { self.node = node }

    /// A random name, which no other node has.
    package static func randomNode() -> String {
        let digits = String(UInt128.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: max(0, 32 - digits.count)) + digits
    }

    /// Notes that the purge with this number of that node is carried out.
    /// - Returns: false if it had been carried out before.
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

    /// Forgets nodes with a number so high that no node can have reached it yet. If purges of these nodes are delivered again,
    /// they are carried out again.
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

    /// Nil if the text is not in the form that `text` writes.
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
