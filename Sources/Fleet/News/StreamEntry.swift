// SPDX-License-Identifier: Apache-2.0

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
