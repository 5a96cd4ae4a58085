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
    package let port: UInt16

    /// Starts it, and waits until it answers.
    /// - Parameter flags: settings beside those that a test needs anyway, as `--requirepass x`.
    package convenience init(_ flags: String...) throws { try self.init(flags: flags) }

    /// As with flags one by one.
    package init(flags: [String]) throws {
        port = try Self.freePort()
        arguments =
            Self.place(port, folder) + [
                "--unixsocket", "\(folder.path)/redis.sock", "--appendonly", "yes", "--appendfsync",
                "always", "--save", "",
            ] + flags
        try start()
    }

    /// A Sentinel, which keeps what it knows in its settings' file.
    /// - Parameter lines: the settings.
    init(sentinel lines: [String]) throws {
        port = try Self.freePort()
        let file = "\(folder.path)/sentinel.conf"
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        arguments = [file, "--sentinel"] + Self.place(port, folder)
        try start()
    }

    deinit { kill() }

    package var address: String { "redis://127.0.0.1:\(port)/0" }
    package var socket: String { "unix:\(folder.path)/redis.sock" }

    private static func place(_ port: UInt16, _ folder: TemporaryFolder) -> [String] {
        ["--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder.path, "--daemonize", "no"]
    }

    /// A port that nobody has. Redis cannot be told to take any: another may take it before Redis does, and then the
    /// start fails.
    static func freePort() throws -> UInt16 {
        let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, length) == 0 && getsockname(descriptor, raw, &length) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRINUSE) }
        return UInt16(bigEndian: address.sin_port)
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
