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

    /// The most purges that are remembered. A purge from before them that is delivered again is carried out again, which does no
    /// harm.
    static let limit = 1_000

    /// This node's name: 32 random hexadecimal digits.
    package var node: String
    /// Nil before the first look into the stream, and when the last position cannot be relied on.
    package var position: Position?
    /// The purges that were carried out last, the latest at the end. Each is listed, because a name's numbers need not come in their
    /// order: a node that was copied gives numbers under the same name, and its purges may reach Redis late.
    private(set) var seen: [(node: String, number: UInt64)] = []

    /// Makes the record of a new node.
    package init(node: String) { self.node = node }

    /// A random name, which no other node has.
    package static func randomNode() -> String {
        let digits = String(UInt128.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: max(0, 32 - digits.count)) + digits
    }

    /// Notes that the purge with this number of that node is carried out.
    /// - Returns: false if that was noted before.
    package mutating func note(_ node: String, _ number: UInt64) -> Bool {
        if knows(node, number) { return false }
        seen.append((node, number))
        if seen.count > Self.limit { seen = Array(seen.dropFirst(seen.count - Self.limit)) }
        return true
    }

    /// True if the purge was carried out lately.
    package func knows(_ node: String, _ number: UInt64) -> Bool {
        seen.contains { $0.number == number && $0.node == node }
    }

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
