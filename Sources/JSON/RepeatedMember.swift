// SPDX-License-Identifier: Apache-2.0

extension UntrustedJSON {
    /// The name of a member that some object has twice, however its letters are escaped; nil if there is none, or if the text is
    /// nothing that is decoded.
    ///
    /// RFC 8259 §4 leaves open what such an object means. Foundation's decoder takes the last member, other programs take the
    /// first, so what one of them has checked is not what another does.
    package static func repeatedMember(in text: some Collection<UInt8>) -> String? {
        guard isDecodable(text) else { return nil }
        var scan = MemberScan()
        for byte in text {
            if let name = scan.take(byte) { return name }
        }
        return nil
    }
}

/// Reads JSON byte by byte and remembers the names in each open object. It takes any bytes; the decoder checks the grammar.
private struct MemberScan {
    /// Names in the objects and arrays that are open, the innermost last.
    private var open: [Set<String>] = []
    /// The bytes of the last text, without its quotes; nil where it was taken for a name, or there was none.
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
        // Outside texts, a colon stands behind a name and nowhere else.
        case UInt8(ascii: ":"):
            guard let last = open.indices.last, let name = takeName() else { return nil }
            return open[last].insert(name).inserted ? nil : name
        default: break
        }
        return nil
    }

    /// The last text without escapes; nil if they are none of JSON's. It is given once: a stranger's colons would copy a long one
    /// as often as there are any.
    private mutating func takeName() -> String? {
        guard let text = text.take() else { return nil }
        guard text.contains(UInt8(ascii: "\\")) else { return String(decoding: text, as: UTF8.self) }
        return UntrustedJSON.read([String].self, from: Array("[\"".utf8) + text + Array("\"]".utf8))?.first
    }
}
