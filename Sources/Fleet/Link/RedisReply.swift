// SPDX-License-Identifier: Apache-2.0

/// Redis's reply to a command (RESP2).
package enum RedisReply: Sendable, Hashable {
    /// A bulk string or a simple string.
    case text([UInt8])
    case number(Int64)
    /// A nil string or array.
    case none
    case error(String)
    case list([RedisReply])

    /// A string as UTF-8; nil for anything else.
    package var string: String? {
        if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
    }

    /// The elements of an array; nil for anything else.
    package var elements: [RedisReply]? { if case .list(let list) = self { list } else { nil } }
}
