// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// A real redis-server on a socket and a port of its own, with its files in a folder of its own.
///
/// **Isolation:** a `Mutex` around the process.
package final class RedisServer: Sendable {
    private let folder = TemporaryFolder()
    private let process = Mutex<Process?>(nil)
    private let arguments: [String]
    private let plain: ReservedPort
    let secure: SecurePort?
    package var port: UInt16 { plain.number }

    /// Starts it, and waits until it answers.
    /// - Parameter flags: settings beside those that a test needs anyway, as `--requirepass x`.
    package convenience init(_ flags: String...) throws { try self.init(flags: flags) }

    /// As with flags one by one.
    /// - Parameter certificate: for TLS at a port of its own. For redis-cli, it speaks without TLS as well.
    package init(flags: [String], certificate: ServerCertificate? = nil) throws {
        plain = try ReservedPort()
        secure = try certificate.map(SecurePort.init)
        arguments =
            Self.place(plain, folder) + (secure?.flags ?? []) + [
                "--unixsocket", "\(folder.path)/redis.sock", "--appendonly", "yes", "--appendfsync",
                "always", "--save", "",
            ] + flags
        try start()
    }

    /// A Sentinel, which keeps what it knows in its settings' file.
    /// - Parameter lines: the settings.
    init(sentinel lines: [String], certificate: ServerCertificate?) throws {
        plain = try ReservedPort()
        secure = try certificate.map(SecurePort.init)
        let file = "\(folder.path)/sentinel.conf"
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        arguments = [file, "--sentinel"] + Self.place(plain, folder) + (secure?.flags ?? [])
        try start()
    }

    deinit { kill() }

    package var address: String { "redis://127.0.0.1:\(port)/0" }
    package var socket: String { "unix:\(folder.path)/redis.sock" }
    /// Nil without TLS.
    package var secureAddress: String? { secure.map { "rediss://127.0.0.1:\($0.number)" } }

    private static func place(_ port: ReservedPort, _ folder: TemporaryFolder) -> [String] {
        ["--port", "\(port.number)", "--bind", "127.0.0.1", "--dir", folder.path, "--daemonize", "no"]
    }

    /// Starts it again, on the same port, with what it had saved.
    package func start() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/redis-server")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process.withLock { $0 = process }
        let isUp = try Patience.until {
            guard process.isRunning else { throw POSIXError(.ECHILD) }
            // With a password, the answer is an error, and an answer all the same.
            return (try? cli("PING").map { !$0.contains("Could not connect") && !$0.contains("LOADING") })
                == true
        }
        guard isUp else { throw POSIXError(.ETIMEDOUT) }
    }

    /// Ends it at once; what it had confirmed is in its file.
    package func kill() {
        process.withLock { process in
            guard let running = process else { return }
            Glibc.kill(running.processIdentifier, SIGKILL)
            running.waitUntilExit()
            process = nil
        }
    }

    /// SIGSTOP and SIGCONT.
    package func signal(_ number: Int32) {
        _ = process.withLock { $0.map { Glibc.kill($0.processIdentifier, number) } }
    }

    /// What redis-cli says to a command; nil where there is none.
    @discardableResult
    package func cli(_ words: String...) throws -> String? { try run(words) }

    /// Milliseconds until the key expires; negative if it does not, or does not exist.
    package func millisecondsLeft(of key: String) throws -> Int? {
        try cli("PTTL", key).flatMap { Int($0.filter { !$0.isWhitespace }) }
    }

    @discardableResult
    package func run(_ words: [String]) throws -> String? {
        try Program.run(["redis-cli", "-p", "\(port)", "--raw"] + words)?.output
    }
}

extension RedisServer {
    /// Times that it has carried out a command, also in a script.
    package func calls(of command: String) throws -> Int {
        let lines = try cli("INFO", "commandstats")?.split(whereSeparator: \.isNewline) ?? []
        let line = lines.first { $0.hasPrefix("cmdstat_\(command):") }
        return (line?.firstMatch(of: /calls=(\d+)/)).flatMap { Int($0.1) } ?? 0
    }
}
