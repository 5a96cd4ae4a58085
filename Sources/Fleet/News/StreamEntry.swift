// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The ID that Redis gives to an entry of a stream: milliseconds of Redis's clock, and a number that orders the entries of one
/// millisecond.
package struct StreamID: Sendable, Hashable, Comparable {
    package var milliseconds: UInt64
    package var sequence: UInt64

    /// The ID before all entries.
    package static let start = StreamID(milliseconds: 0, sequence: 0)

    package init(milliseconds: UInt64, sequence: UInt64) {
        self.milliseconds = milliseconds
        self.sequence = sequence
    }

    /// Reads an ID such as `1732545257000-0`.
    package init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let milliseconds = UInt64(parts[0]), let sequence = UInt64(parts[1]) else {
            return nil
        }
        self.init(milliseconds: milliseconds, sequence: sequence)
    }

    /// When Redis took the entry, by Redis's clock.
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
        /// An entry without an order. It is put into an empty stream, so that a stream that is emptied later can be told from it.
        case anchor
        /// An entry of a newer version or an unknown program, which may mean any purge.
        case unreadable
    }

    package var id: StreamID
    package var content: Content

    /// The fields of an anchor.
    static let anchor = ["v", "1", "anchor", "1"]

    /// The entries in a reply to XRANGE or XREVRANGE; nil if the reply has another form.
    package static func list(_ reply: RedisReply) -> [StreamEntry]? {
        guard let elements = reply.elements else { return nil }
        let entries = elements.compactMap(StreamEntry.init)
        return entries.count == elements.count ? entries : nil
    }

    /// Nil if the reply is not an entry.
    init?(_ reply: RedisReply) {
        guard let parts = reply.elements, parts.count == 2, let id = parts[0].string.flatMap({ StreamID($0) })
        else { return nil }
        self.id = id
        // An entry that XDEL has removed meanwhile has no fields.
        let fields = parts[1].elements ?? []
        if let news = PurgeNews(fields: fields) {
            content = .purge(news)
        } else {
            content = fields.compactMap(\.string) == Self.anchor ? .anchor : .unreadable
        }
    }
}
