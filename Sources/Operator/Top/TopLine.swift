// SPDX-License-Identifier: Apache-2.0

/// One line of the view: pieces of text that is safe to show, each with a meaning that a terminal can show as a colour.
package struct TopLine: Sendable {
    /// The meaning of a piece.
    package enum Tone: Sendable { case plain, title, faint, good, bad, chosen }

    /// Which escape sequences the output may contain.
    package enum Ink: Sendable {
        /// No escape sequences, for a file or a pipe.
        case none
        /// Bold and reverse video, but no colours (no-color.org).
        case plain
        case colours
    }

    private var pieces: [(text: String, tone: Tone)] = []
    private let width: Int
    private var used = 0

    /// An empty line that takes at most `width` cells.
    package init(_ width: Int) { self.width = width }

    /// A line with one piece.
    package init(_ text: String, _ tone: Tone = .plain, width: Int) {
        self.init(width)
        add(text, tone)
    }

    /// Appends as much of the text as has room.
    package mutating func add(_ text: String, _ tone: Tone = .plain) {
        let cut = CellText.cut(text, width - used)
        used += CellText.cells(cut)
        if !cut.isEmpty { pieces.append((cut, tone)) }
    }

    /// Pads the line with spaces up to this cell.
    package mutating func pad(to cell: Int) {
        add(String(repeating: " ", count: max(min(cell, width) - used, 0)))
    }

    /// The line's text without escape sequences.
    package var text: String { pieces.map(\.text).joined() }

    /// The line with the terminal's escape sequences (ECMA-48 §8.3.117, SGR).
    package func rendered(_ ink: Ink) -> String {
        pieces.map { text, tone in
            guard let code = Self.code(tone, ink) else { return text }
            return "\u{1B}[\(code)m\(text)\u{1B}[0m"
        }.joined()
    }

    private static func code(_ tone: Tone, _ ink: Ink) -> String? {
        guard ink != .none else { return nil }
        switch tone {
        case .plain: return nil
        case .title: return "1"
        case .chosen: return "7"
        case .faint: return ink == .colours ? "2" : nil
        case .good: return ink == .colours ? "32" : nil
        case .bad: return ink == .colours ? "31" : "1"
        }
    }
}
