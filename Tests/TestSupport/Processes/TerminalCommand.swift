// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc
internal import Synchronization

/// `pictor` in a pseudo-terminal (pty(7)), with keys and a look at what it has written.
///
/// **Isolation:** immutable; what was written is in a `Mutex`.
package final class TerminalCommand: Sendable {
    private let process: Process
    private let master: Int32
    private let slave: Int32
    private let written = Mutex<[UInt8]>([])

    package init(
        _ arguments: [String], width: UInt16, height: UInt16, environment: [String: String] = [:]
    ) throws {
        var (master, slave) = (Int32(-1), Int32(-1))
        var size = winsize(ws_row: height, ws_col: width, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&master, &slave, nil, nil, &size) == 0 else {
            throw Connection.Failure(description: "no pseudo-terminal: \(errno)")
        }
        (self.master, self.slave) = (master, slave)
        process = Process()
        process.executableURL = try DaemonUnderTest.executable("pictor")
        process.arguments = arguments
        process.environment = environment.merging(["PATH": "/usr/bin:/bin", "TERM": "xterm"]) { first, _ in
            first
        }
        let terminal = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        process.standardInput = terminal
        process.standardOutput = terminal
        process.standardError = terminal
        try process.run()
        let reading = master
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = Glibc.read(reading, &buffer, buffer.count), count > 0 {
                written.withLock { $0 += buffer[..<count] }
            }
        }
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    /// All that was written so far.
    package var output: String { String(decoding: written.withLock { $0 }, as: UTF8.self) }

    /// The last whole frame, its lines without colours.
    package var screen: [String] {
        let frames = output.components(separatedBy: "\u{1B}[J")
        guard frames.count > 1 else { return [] }
        return frames[frames.count - 2].components(separatedBy: "\u{1B}[K").dropLast().map {
            $0.replacing(/\u{1B}\[[0-9;?]*[a-zA-Z]/, with: "")
        }
    }

    /// True as soon as a line of the screen contains this; false after a minute.
    package func shows(_ words: String) -> Bool {
        Patience.until { screen.contains { $0.contains(words) } }
    }

    /// True as soon as this is the last that was written.
    package func ends(with words: String) -> Bool { Patience.until { output.hasSuffix(words) } }

    package func type(_ keys: String) { _ = Glibc.write(master, keys, keys.utf8.count) }

    package func resize(width: UInt16, height: UInt16) {
        var size = winsize(ws_row: height, ws_col: width, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        signal(SIGWINCH)
    }

    package func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end: its status.
    package func end() -> Int32 {
        process.waitForEnd()
        return process.terminationStatus
    }

    /// True while keys are echoed and lines are edited, as a shell expects it.
    package var isUsual: Bool {
        var mode = termios()
        return tcgetattr(slave, &mode) == 0
            && mode.c_lflag & tcflag_t(ICANON | ECHO | ISIG) == tcflag_t(ICANON | ECHO | ISIG)
    }
}
