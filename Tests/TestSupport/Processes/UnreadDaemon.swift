// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The real daemon with a standard error and a standard output that nobody may be reading. What others learn
/// from its log is not to be had here, so it listens on Unix sockets.
///
/// **Isolation:** immutable; its lines guard themselves.
package final class UnreadDaemon {
    /// What is at the other end.
    package enum Reader: String, Sendable, CaseIterable {
        /// Somebody who takes every line.
        case attentive
        /// Somebody who takes nothing of a pipe that is full.
        case hanging
        /// Nobody any more.
        case gone
        /// A disk without room.
        case fullDisk
        /// Nothing: the descriptor is closed.
        case closed
    }

    private let folder = TemporaryFolder()
    private let process = Process()
    private let output: Pipe
    private let errors: Pipe
    private let lines: Lines?

    package init(output reader: Reader, errors other: Reader, _ flags: [String] = []) throws {
        (output, errors) = (Pipe(), Pipe())
        let closed = (reader == .closed ? " >&-" : "") + (other == .closed ? " 2>&-" : "")
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments =
            [
                "-c", "exec \"$0\" \"$@\"\(closed)", try DaemonUnderTest.executable("pictor").path, "serve",
                "--server-listen", "unix:\(folder.path)/front", "--admin-listen", "unix:\(folder.path)/admin",
                "--cache-directory", "\(folder.path)/cache", "--origin-allow-private", "true", "--cache-disk",
                "1GiB", "--decoder-processes", "2",
            ] + flags
        process.environment = ["PATH": "/usr/bin:/bin"]
        process.standardOutput = try Self.end(of: output, reader)
        process.standardError = try Self.end(of: errors, other)
        try process.run()
        lines = other == .attentive ? Lines(errors) : nil
        if reader == .attentive { _ = Lines(output) }
        // The other end is the daemon's alone: a reader who is gone is gone for it.
        for pipe in [output, errors] { try? pipe.fileHandleForWriting.close() }
    }

    private static func end(of pipe: Pipe, _ reader: Reader) throws -> FileHandle {
        let end = pipe.fileHandleForWriting
        switch reader {
        case .attentive, .closed: break
        case .gone: try pipe.fileHandleForReading.close()
        case .hanging: fill(end.fileDescriptor)
        case .fullDisk:
            guard let device = FileHandle(forWritingAtPath: "/dev/full") else {
                throw Connection.Failure(description: "no /dev/full")
            }
            return device
        }
        return end
    }

    /// With empty lines. The open file is the daemon's too, so it is to be blocking again.
    private static func fill(_ pipe: Int32) {
        let flags = fcntl(pipe, F_GETFL)
        _ = fcntl(pipe, F_SETFL, flags | O_NONBLOCK)
        let lines = [UInt8](repeating: 0x0A, count: 4_096)
        while write(pipe, lines, lines.count) > 0 {}
        while write(pipe, lines, 1) > 0 {}
        _ = fcntl(pipe, F_SETFL, flags)
    }

    deinit {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// False: it has not come to serve within a minute.
    package func serves() -> Bool {
        Patience.until {
            let isReady = (try? ask("admin", "/health/ready").status) == 200
            return isReady && (try? ask("front", "/nothing").status) == 404 || !process.isRunning
        } && process.isRunning
    }

    /// The lines that somebody takes from now on of what hung before.
    package func readOutput() -> () -> [String] {
        let lines = Lines(output)
        return { lines.all.filter { !$0.isEmpty } }
    }

    /// The first line of the log that contains this, once it is there.
    package func logLine(with words: String) -> String? {
        lines?.wait { lines in lines.first { $0.contains(words) } }
    }

    package func get(_ target: String) throws -> Connection.Reply { try ask("front", target) }

    private func ask(_ listener: String, _ target: String) throws -> Connection.Reply {
        let connection = try Connection(path: "\(folder.path)/\(listener)")
        try connection.request(target)
        return try connection.reply()
    }

    package func metric(_ sample: String) throws -> Int {
        let lines = try ask("admin", "/metrics").text.split(separator: "\n")
        return lines.first { $0.hasPrefix(sample + " ") }
            .flatMap { Int($0.dropFirst(sample.count + 1)) } ?? -1
    }

    /// Process identifiers of its decoders: whose parent it is.
    package var decoders: Set<Int32> {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { Int32($0) }
        return Set((all ?? []).filter { Self.parent(of: $0) == process.processIdentifier })
    }

    /// proc(5), stat: behind the name in brackets stand the state and the parent. Nil as well for one that
    /// has ended.
    private static func parent(of id: Int32) -> Int32? {
        let text = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
        let words = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
        guard words.count > 2, words[1] != "Z" else { return nil }
        return Int32(words[2])
    }

    package func signal(_ number: Int32) { Glibc.kill(process.processIdentifier, number) }

    /// SIGTERM. The exit status; nil where a signal ended it, as ours does when our patience ends.
    package func stop() -> Int32? {
        signal(SIGTERM)
        return exitStatus
    }

    /// Waits for its end; nil where a signal ended it.
    package var exitStatus: Int32? {
        process.waitForEnd()
        return process.terminationReason == .exit ? process.terminationStatus : nil
    }
}
