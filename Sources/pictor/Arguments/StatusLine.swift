// SPDX-License-Identifier: Apache-2.0

import Glibc
import Monitoring
import Operator

/// Progress on the last line of a terminal: each text replaces the one before. Where standard error is no terminal, or one that
/// knows no control sequences, there is no such line.
struct StatusLine {
    let isShown = isatty(STDERR_FILENO) == 1 && Terminal.knowsControls

    /// Cuts the text where the terminal is too narrow: of a text that it breaks, only the last line could be erased. The last cell
    /// stays free, because some terminals break a line that fills them.
    func show(_ text: String) {
        if isShown { StandardError.write(Self.erase + CellText.cut(text, Terminal.errorWidth - 1)) }
    }

    /// Clears the line. Call this before anything else is written to the terminal.
    func clear() { show("") }

    /// Returns to the beginning of the line and erases it to its end (ECMA-48 §8.3.41, EL).
    private static let erase = "\r\u{1B}[K"
}
