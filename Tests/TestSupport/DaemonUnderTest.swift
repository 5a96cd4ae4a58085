// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Synchronization

/// The real daemon, started as its users start it, on ports of the kernel's choice and in a folder of its own.
package final class DaemonUnderTest: Sendable {
    private struct State {
        var lines: [String] = []
        var listening: [String: UInt16] = [:]
        var ended = false
    }

    package let port: UInt16
    package let adminPort: UInt16
    package let cache: URL
    private let process: Process
    private let state: Log

    /// The daemon's log as it comes.
    private final class Log: Sendable {
        private let state = Mutex(State())
        private let changed = NSCondition()

        func append(_ line: String) {
            state.withLock { state in
                state.lines.append(line)
                guard let entry = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
                    entry["message"] as? String == "listening", let listener = entry["listener"] as? String,
                    let port = (entry["address"] as? String)?.split(separator: ":").last.flatMap({
                        UInt16($0)
                    })
                else { return }
                state.listening[listener] = port
            }
            wake()
        }

        func end() {
            state.withLock { $0.ended = true }
            wake()
        }

        private func wake() {
            changed.lock()
            changed.broadcast()
            changed.unlock()
        }

        var lines: [String] { state.withLock { $0.lines } }

        func ports() throws -> (UInt16, UInt16) {
            let deadline = Date(timeIntervalSinceNow: 60)
            changed.lock()
            defer { changed.unlock() }
            while true {
                let (listening, ended, lines) = state.withLock { ($0.listening, $0.ended, $0.lines) }
                if let port = listening["public"], let admin = listening["admin"] { return (port, admin) }
                guard !ended, changed.wait(until: deadline) else {
                    throw Connection.Failure(
                        description: "the daemon did not start:\n" + lines.joined(separator: "\n"))
                }
            }
        }
    }

    /// - Parameters:
    ///   - flags: settings beside those that a test needs anyway.
    ///   - cache: a cache folder to go on with; nil = a new one.
    package init(_ flags: [String] = [], cache: URL? = nil) throws {
        self.cache =
            cache
            ?? FileManager.default.temporaryDirectory.appending(path: "pictor-test-\(UUID().uuidString)")
        process = Process()
        process.executableURL = try Self.executable()
        process.arguments =
            [
                "serve", "--server-listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--log-format",
                "json",
                "--origin-allow-private", "true", "--cache-directory", self.cache.path, "--cache-disk",
                "1GiB",
                "--decoder-processes", "2",
            ] + flags
        process.environment = ["PATH": "/usr/bin:/bin"]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        let log = Log()
        state = log
        try process.run()
        let reading = pipe.fileHandleForReading
        Thread.detachNewThread {
            var rest = Data()
            while case let chunk = reading.availableData, !chunk.isEmpty {
                rest += chunk
                while let newline = rest.firstIndex(of: 0x0A) {
                    log.append(String(decoding: rest[rest.startIndex..<newline], as: UTF8.self))
                    rest = Data(rest[(newline + 1)...])
                }
            }
            log.end()
        }
        (port, adminPort) = try log.ports()
    }

    deinit {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    package var log: [String] { state.lines }
    package var processIdentifier: Int32 { process.processIdentifier }

    /// SIGTERM, as a service manager does; the exit status.
    package func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationStatus
    }

    /// SIGKILL.
    package func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    package func get(
        _ target: String, method: String = "GET", fields: [(String, String)] = []
    ) throws -> Connection.Reply {
        let connection = try Connection(port: port)
        try connection.request(target, method: method, fields: fields)
        return try connection.reply(bodiless: method == "HEAD")
    }

    /// `/img?url=…` with the source escaped as a client would.
    package static func target(_ source: String, _ options: String = "") -> String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let escaped = source.addingPercentEncoding(withAllowedCharacters: allowed) ?? source
        return "/img?url=\(escaped)" + (options.isEmpty ? "" : "&\(options)")
    }

    /// Sample values of /metrics by name and labels as they are printed.
    package func metrics() throws -> [String: Double] {
        let connection = try Connection(port: adminPort)
        try connection.request("/metrics")
        let lines = try connection.reply().text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return Dictionary(
            lines.compactMap { line in
                guard let space = line.lastIndex(of: " "),
                    let value = Double(line[line.index(after: space)...])
                else {
                    return nil
                }
                return (String(line[..<space]), value)
            }, uniquingKeysWith: { $1 })
    }

    package func health(_ name: String) throws -> Connection.Reply {
        let connection = try Connection(port: adminPort)
        try connection.request("/health/\(name)")
        return try connection.reply()
    }

    /// The executable is built beside the test bundle.
    private static func executable() throws -> URL {
        let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let url = tests.deletingLastPathComponent().appending(path: "pictor")
        guard FileManager.default.isExecutableFile(atPath: url.path) else {
            throw Connection.Failure(description: "no pictor beside \(tests.path)")
        }
        return url
    }
}
