// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Text as HTML forms encode it (WHATWG URL §5): a plus means a space, and `%2B` a plus.
enum FormText {
    /// The text with spaces for pluses; escapes are not decoded.
    static func spaced(_ sent: some Sequence<UInt8>) -> [UInt8] {
        sent.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    }

    /// The decoded text. A `%` that begins no escape stands for itself.
    static func decode(_ sent: some Sequence<UInt8>) -> [UInt8] {
        PercentEscape.decode(lenient: spaced(sent)[...])
    }
}
