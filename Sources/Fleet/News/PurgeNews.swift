// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import HTTPSemantics
package import Pipeline

/// A purge as one node passes it to the others: an entry of the stream, or a line of the outbox.
package struct PurgeNews: Sendable, Hashable {
    /// The id of the node that received the order: 32 hexadecimal digits.
    package var node: String
    /// Increases with each purge of the node, so that a second delivery can be recognised.
    package var number: UInt64
    /// When the purge was ordered, by that node's clock.
    package var time: Timestamp
    package var selection: PurgeSelection
    package var isSoft: Bool
    /// True for a soft purge that allows nothing to be served before its origin has confirmed it.
    package var isStrict = false

    /// `isStrict` is false.
    package init(
        node: String, number: UInt64, time: Timestamp, selection: PurgeSelection, isSoft: Bool
    ) {
        self.node = node
        self.number = number
        self.time = time
        self.selection = selection
        self.isSoft = isSoft
    }

    /// The order for the node that carries it out.
    package var order: PurgeOrder {
        var order = PurgeOrder(selection, isSoft: isSoft)
        order.time = time
        order.isRelayed = true
        order.isStrict = isStrict
        return order
    }

    /// Milliseconds by which a node's clock may be ahead of another's.
    private static let margin: Int64 = 600_000

    /// The highest number that a node can have given by now, because numbers follow the clock (`NewsOutbox.add`). A higher number
    /// tells of a wrong clock, which dates the purge as well.
    static func highestNumber(at now: Timestamp) -> UInt64 {
        let (latest, isFar) = now.milliseconds.addingReportingOverflow(margin)
        let (number, isFarther) = UInt64(clamping: latest).multipliedReportingOverflow(by: 1_000)
        return isFar || isFarther ? .max : number
    }

    /// The most bytes of a value. The URL of a request has 8 kB at most.
    static let longest = 64 << 10

    /// How an entry's field and a line of the outbox spell the kind of purge: hard, soft, or soft and strict.
    private static let manners = [("0", "hard"), ("1", "soft"), ("2", "strict")]

    private var manner: (field: String, word: String) { Self.manners[isStrict ? 2 : isSoft ? 1 : 0] }

    private mutating func take(manner index: Int) { (isSoft, isStrict) = (index > 0, index == 2) }

    /// Bytes of the name that the purge selects.
    var size: Int { selection.words.name.utf8.count }

    private static func selection(_ kind: some StringProtocol, _ name: String) -> PurgeSelection? {
        name.utf8.count <= longest ? PurgeSelection(kind: kind, name: name) : nil
    }

    static func isNode(_ text: String) -> Bool {
        text.utf8.count == 32
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

// MARK: In the stream

extension PurgeNews {
    /// Names and values of the entry's fields, alternating.
    package var fields: [String] {
        let (kind, name) = selection.words
        return [
            "v", "1", "node", node, "number", "\(number)", "time", "\(time.milliseconds)", "soft",
            manner.field, "kind", kind, "value", name,
        ]
    }

    /// Nil if the fields are not such as a node of this version writes.
    package init?(fields: [RedisReply]) {
        guard fields.count == 14 else { return nil }
        let texts = fields.compactMap(\.string)
        guard texts.count == 14,
            stride(from: 0, to: 14, by: 2).map({ texts[$0] }) == [
                "v", "node", "number", "time", "soft", "kind", "value",
            ], texts[1] == "1", Self.isNode(texts[3]), let number = UInt64(texts[5]),
            let time = Int64(texts[7]), let manner = Self.manners.firstIndex(where: { $0.0 == texts[9] }),
            let selection = Self.selection(texts[11], texts[13])
        else { return nil }
        self.init(
            node: texts[3], number: number, time: Timestamp(milliseconds: time), selection: selection,
            isSoft: false)
        take(manner: manner)
    }
}

// MARK: In the outbox

extension PurgeNews {
    /// `order 17 1732545257000 hard url aHR0cHM…`, without a line feed.
    package var line: String {
        let (kind, name) = selection.words
        return "order \(number) \(time.milliseconds) \(manner.word) \(kind) \(Base64URL.encode(name.utf8))"
    }

    /// Nil if the line is not in the form of `line`, for example because it was cut short.
    package init?(line: Substring, node: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 6, words[0] == "order", let number = UInt64(words[1]),
            let time = Int64(words[2]),
            let manner = Self.manners.firstIndex(where: { $0.1 == words[3] }),
            let bytes = Base64URL.decode(words[5]),
            let selection = Self.selection(words[4], String(decoding: bytes, as: UTF8.self))
        else { return nil }
        self.init(
            node: node, number: number, time: Timestamp(milliseconds: time), selection: selection,
            isSoft: false)
        take(manner: manner)
    }
}
