// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The name that Redis gives an entry of a stream: milliseconds of its clock, and a number among those of one millisecond.
package struct StreamID: Sendable, Hashable, Comparable {
    package var milliseconds: UInt64
    package var sequence: UInt64

    /// The id before every entry.
    package static let start = StreamID(milliseconds: 0, sequence: 0)

    package init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = milliseconds
        self.sequence = sequence
    }

    /// Reads `1732545257000-0`.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = UInt64(parts[0]), let sequence = UInt64(parts[1]) else {
            return nil
        }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    /// When Redis took the entry, by its clock.
    package var time: Timestamp { Timestamp(milliseconds: Int64(clamping: milliseconds)) }

    package var text: String { "\(milliseconds)-\(sequence)" }

    package static func < (a: StreamID, b: StreamID) -> Bool {
        (a.milliseconds, a.sequence) < (b.milliseconds, b.sequence)
    }
}

/// An entry of the stream.
package struct StreamEntry: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case purge(PurgeNews)
        /// Put into an empty stream, so that one that was emptied later is told from it.
        case anchor
        /// An entry of a newer version, or of a stranger: it may be any purge.
        case unreadable
    }

    package var id: StreamID
    package var content: Content

    /// The fields of an anchor.
    static let anchor = ["v", "1", "anchor", "1"]

    /// The entries of an answer to XRANGE or XREVRANGE; nil for what is none.
    package static func list(_ reply: RedisReply) -> [StreamEntry]? {
        guard let elements = reply.elements else { return nil }
        let entries = elements.compactMap(StreamEntry.init)
        return entries.count == elements.count ? entries : nil
    }

    /// Nil if it is no entry at all.
    init?(_ reply: RedisReply) {
        guard let parts = reply.elements, parts.count == 2, let id = parts[0].string.flatMap({ StreamID($0) })
        else { return nil }
        self.id = id
        // Deleted by XDEL while it was read: no fields.
        let fields = parts[1].elements ?? []
        if let news = PurgeNews(fields: fields) {
            content = .purge(news)
        } else {
            content = fields.compactMap(\.string) == Self.anchor ? .anchor : .unreadable
        }
    }
}
