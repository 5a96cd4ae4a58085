// SPDX-License-Identifier: Apache-2.0

/// A command: its name and its arguments, such as `["SET", key, token, "NX"]`.
package struct RedisCommand: Sendable, Hashable, ExpressibleByArrayLiteral {
    package let words: [String]

    /// Each word is sent as UTF-8 and may contain any character.
    package init(_ words: [String]) { self.words = words }

    package init(arrayLiteral words: String...) { self.words = words }

    /// The command as a RESP array of bulk strings.
    package var bytes: [UInt8] {
        var bytes = Array("*\(words.count)\r\n".utf8)
        for word in words {
            bytes += "$\(word.utf8.count)\r\n".utf8
            bytes += word.utf8
            bytes += [0x0D, 0x0A]
        }
        return bytes
    }
}
