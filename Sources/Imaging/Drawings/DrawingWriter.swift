// SPDX-License-Identifier: Apache-2.0

/// Writes XML in UTF-8. Every value is escaped, so text cannot become markup.
struct DrawingWriter {
    private(set) var bytes: [UInt8] = []
    /// The most bytes that are written.
    let limit: Int
    private var names: [String] = []
    private var isOpen = false

    init(limit: Int) { self.limit = limit }

    /// True if the output was longer than `limit`.
    var isOver: Bool { bytes.count > limit }

    mutating func begin(_ name: String) {
        closeTag()
        put("<\(name)")
        names.append(name)
        isOpen = true
    }

    /// To be called right after `begin`, before any text.
    mutating func attribute(_ name: String, _ value: String) {
        put(" \(name)=\"")
        escape(value)
        put("\"")
    }

    mutating func text(_ text: String) {
        guard !text.isEmpty else { return }
        closeTag()
        escape(text)
    }

    mutating func end() {
        guard let name = names.popLast() else { return }
        put(isOpen ? "/>" : "</\(name)>")
        isOpen = false
    }

    private mutating func closeTag() {
        if isOpen { put(">") }
        isOpen = false
    }

    private mutating func put(_ text: String) {
        guard !isOver else { return }
        bytes += Array(text.utf8)
    }

    private mutating func escape(_ text: String) {
        guard !isOver else { return }
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            case UInt8(ascii: "'"): bytes += Array("&#39;".utf8)
            case UInt8(ascii: "`"): bytes += Array("&#96;".utf8)
            case 0x09, 0x0A, 0x0D: bytes += Array("&#\(byte);".utf8)
            default: bytes.append(byte)
            }
        }
    }
}
