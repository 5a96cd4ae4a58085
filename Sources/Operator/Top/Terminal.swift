// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
package import Kernel

/// This process's terminal as a canvas for a full-screen view: the alternate screen, without echo and line editing, until
/// `restore`.
///
/// **Isolation:** one thread.
package final class Terminal {
    private let former: termios
    private var isOurs = true

    /// True if standard input and output are a terminal that can show the view.
    package static var isThere: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && knowsControls
    }

    /// True if the terminal's name (TERM) does not say that it knows no control sequences.
    package static var knowsControls: Bool {
        let name = getenv("TERM").map { String(cString: $0) } ?? ""
        return !["", "dumb"].contains(name)
    }

    /// The colours to use: none without a terminal that knows control sequences, and none if NO_COLOR is set (no-color.org).
    package static var ink: TopLine.Ink {
        guard isatty(STDOUT_FILENO) == 1, knowsControls else { return .none }
        let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
        return refusal.isEmpty ? .colours : .plain
    }

    /// The size in cells; 80×24 if it is unknown.
    package static var size: TopFrame.Size { measure(STDOUT_FILENO) }

    /// The width of lines that are printed: the terminal's, or enough for all of them where there is none.
    package static var printedWidth: Int { isatty(STDOUT_FILENO) == 1 ? size.width : 160 }

    /// The width of the terminal behind standard error; 80 if it is unknown.
    package static var errorWidth: Int { measure(STDERR_FILENO).width }

    private static func measure(_ descriptor: Int32) -> TopFrame.Size {
        var size = winsize()
        let result = ioctl(descriptor, UInt(TIOCGWINSZ), &size)
        guard result == 0, size.ws_col > 0, size.ws_row > 0 else { return .init(width: 80, height: 24) }
        return .init(width: Int(size.ws_col), height: Int(size.ws_row))
    }

    /// Switches the terminal to the view.
    package init() throws(SystemError) {
        var mode = termios()
        guard tcgetattr(STDIN_FILENO, &mode) == 0 else { throw .last("tcgetattr") }
        former = mode
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        mode.c_iflag &= ~tcflag_t(IXON | ICRNL)
        guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode) == 0 else { throw .last("tcsetattr") }
        // Switches to the alternate screen, hides the cursor, and makes the terminal cut lines that are too long.
        try write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J")
    }

    deinit { restore() }

    /// Restores the terminal's former state; a second call does nothing.
    func restore() {
        guard isOurs else { return }
        isOurs = false
        try? write("\u{1B}[?7h\u{1B}[?25h\u{1B}[0m\u{1B}[?1049l")
        var mode = former
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode)
    }

    /// Shows all lines, each in its place, in one write.
    package func show(_ lines: [TopLine], _ ink: TopLine.Ink) throws(SystemError) {
        let text = lines.enumerated().map { "\u{1B}[\($0 + 1);1H\($1.rendered(ink))\u{1B}[K" }.joined()
        try write(text + "\u{1B}[J")
    }

    private func write(_ text: String) throws(SystemError) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0 else { throw .last("write") }
            rest = rest.dropFirst(count)
        }
    }
}
