// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Text as HTML's forms write it (WHATWG URL §5): a plus is a blank, and `%2B` a plus.
enum FormText {
    /// The text with its blanks, and its escapes as they are.
    static func spaced(_ sent: some Sequence<UInt8>) -> [UInt8] {
        sent.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    }

    /// What it means. A `%` that begins no escape stands for itself.
    static func decode(_ sent: some Sequence<UInt8>) -> [UInt8] {
        PercentEscape.decode(lenient: spaced(sent)[...])
    }
}
