// SPDX-License-Identifier: Apache-2.0

import Glibc
import Monitoring

/// How far a command is, on the last line of a terminal: each text takes the place of the one before. Where standard error
/// is no terminal, there is no such line.
struct StatusLine {
    let isShown = isatty(STDERR_FILENO) == 1

    func show(_ text: String) { if isShown { StandardError.write(Self.erase + text) } }

    /// To be called before anything else is written.
    func clear() { show("") }

    /// Back to the line's beginning, and nothing behind it (ECMA-48 §8.3.41, EL).
    private static let erase = "\r\u{1B}[K"
}
