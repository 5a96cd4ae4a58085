// SPDX-License-Identifier: Apache-2.0

import Glibc
import Monitoring

/// Progress on the last line of a terminal: each text replaces the one before. Where standard error is no terminal, there is no
/// such line.
struct StatusLine {
    let isShown = isatty(STDERR_FILENO) == 1

    func show(_ text: String) { if isShown { StandardError.write(Self.erase + text) } }

    /// Clears the line. Call this before anything else is written to the terminal.
    func clear() { show("") }

    /// Returns to the beginning of the line and erases it to its end (ECMA-48 §8.3.41, EL).
    private static let erase = "\r\u{1B}[K"
}
