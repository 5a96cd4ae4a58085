// SPDX-License-Identifier: Apache-2.0

extension UntrustedJSON {
    /// The name of a member that some object in the text has twice, even if the two are escaped differently. Nil if there is no
    /// such name, or if `isDecodable` refuses the text.
    ///
    /// RFC 8259 §4 leaves open what such an object means. Foundation's decoder takes the last member, other programs take the
    /// first, so a program could act on another member than the one that was checked.
    package static func repeatedMember(in text: some Collection<UInt8>) -> String? {
        guard isDecodable(text) else { return nil }
        var scan = MemberScan()
        for byte in text {
            if let name = scan.take(byte) { return name }
        }
        return nil
    }
}

/// Reads JSON byte by byte and remembers the names in each open object. The scan accepts any bytes; the decoder checks the
/// grammar.
private struct MemberScan {
    /// A set of names for each object or array that is open, the innermost last.
    private var open: [Set<String>] = []
    /// The bytes of the last text, without its quotes; nil before the first text, and after `takeName` has taken it.
    private var text: [UInt8]?
    private var quoted = QuotedText()

    /// - Returns: the repeated name that ends before this byte.
    mutating func take(_ byte: UInt8) -> String? {
        if quoted.holds(byte) {
            text?.append(byte)
            return nil
        }
        switch byte {
        case UInt8(ascii: "\"") where quoted.isOpen: text = []
        case UInt8(ascii: "["), UInt8(ascii: "{"): open.append([])
        case UInt8(ascii: "]"), UInt8(ascii: "}"): _ = open.popLast()
        // Outside of texts, a colon can only follow a member's name.
        case UInt8(ascii: ":"):
            guard let last = open.indices.last, let name = takeName() else { return nil }
            return open[last].insert(name).inserted ? nil : name
        default: break
        }
        return nil
    }

    /// The last text with its escapes decoded; nil if an escape is wrong. Each text is taken once: otherwise input with many
    /// colons would make the scan copy one long text for each colon.
    private mutating func takeName() -> String? {
        guard let text = text.take() else { return nil }
        guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
        return UntrustedJSON.read([String].self, from: Array("[\"".utf8) + text + Array("\"]".utf8))?.first
    }
}
