// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import SourceURLs

/// The real daemon, started as its users start it, on ports of the kernel's choice and in a folder of its own.
///
/// **Isolation:** immutable; its lines guard themselves.
package final class DaemonUnderTest: Sendable {
    /// The daemon ended before it listened.
    package struct DidNotStart: Error, CustomStringConvertible {
        package let status: Int32
        package let log: String

        package var description: String { "the daemon did not start (status \(status)):\n\(log)" }
    }

    package let port: UInt16
    package let adminPort: UInt16
    package let cache: TemporaryFolder
    private let process: Process
    private let recorder: Lines
    private let requests: Lines

    /// - Parameters:
    ///   - flags: settings beside those that a test needs anyway, or in their place.
    ///   - cache: a cache folder to go on with; nil = a new one.
    ///   - program: the name of an executable that is built beside the test bundle.
    ///   - environment: beside what a test needs anyway.
    ///   - resolver: what it looks names up at; nil = at this machine's.
    ///   - wrapper: words of a command that runs it: the name of an executable as `program`, and its arguments.
    ///   - openFiles: descriptors that it may have; nil = as many as this process.
    ///   - ignored: a signal that it finds ignored, as `CHLD`; nil = none.
    ///   - socket: what it has from a service manager; nil = nothing.
    ///   - hasInput: true for a standard input from which nothing ever comes, as of a terminal; false for that of this process.
    package init(
        _ flags: [String] = [], cache: TemporaryFolder? = nil, program: String = "pictor",
        environment: [String: String] = [:], resolver: ScriptedResolver? = nil, wrapper: [String] = [],
        openFiles: Int? = nil, ignored: String? = nil, socket: ListeningSocket? = nil,
        hasInput: Bool = false
    ) throws {
        let cache = cache ?? TemporaryFolder()
        self.cache = cache
        let process = Process()
        self.process = process
        let command =
            [try Self.executable(program).path, "serve"] + Self.usual(beside: flags)
            + ["--cache-directory", cache.path] + flags
        let wrapped = try wrapper.first.map { [try Self.executable($0).path] + wrapper.dropFirst() } ?? []
        var words = resolver?.wrapping(command) ?? wrapped + command
        if let openFiles { words = ["/bin/sh", "-c", "ulimit -n \(openFiles) && exec \"$@\"", "sh"] + words }
        if let ignored { words = ["/usr/bin/env", "--ignore-signal=\(ignored)"] + words }
        if let socket { words = socket.give(to: process, running: words) }
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        let (output, error) = (Pipe(), Pipe())
        // The process keeps the pipe, so that its other end stays open.
        if hasInput { process.standardInput = Pipe() }
        process.standardOutput = output
        process.standardError = error
        try process.run()
        (recorder, requests) = (Lines(error), Lines(output))
        let listening = recorder.wait { lines -> (UInt16, UInt16)? in
            guard let port = Self.port(of: "public", in: lines), let admin = Self.port(of: "admin", in: lines)
            else { return nil }
            return (port, admin)
        }
        guard let listening else {
            Glibc.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            throw DidNotStart(
                status: process.terminationStatus, log: recorder.all.joined(separator: "\n"))
        }
        (port, adminPort) = listening
    }

    /// Among them a patience for revalidations: by its default, what may be served stale is where the machine holds the
    /// origin up for a second.
    private static let usual: KeyValuePairs = [
        "--server-listen": "127.0.0.1:0", "--admin-listen": "127.0.0.1:0", "--log-format": "json",
        "--origin-allow-private": "true", "--cache-disk": "1GiB", "--decoder-processes": "2",
        "--cache-stale-wait": "2m",
    ]

    /// Times that no machine uses up, however much else it has to do, where a test has none of its own. What is waited for in vain
    /// still ends within `Patience`. A file of settings has its own times, which flags would hide.
    private static let patient: KeyValuePairs = [
        "--origin-connect-timeout": "15s", "--origin-first-byte-timeout": "45s",
        "--origin-idle-timeout": "45s", "--origin-timeout": "50s", "--origin-queue-timeout": "40s",
        "--decoder-timeout": "5m", "--decoder-queue-timeout": "40s",
    ]

    private static func usual(beside flags: [String]) -> [String] {
        let all = Array(usual) + (flags.contains("--config") ? [] : Array(patient))
        return all.filter { !flags.contains($0.key) }.flatMap { [$0.key, $0.value] }
    }

    deinit {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    /// The port in the "listening" line, in either of the log's formats.
    private static func port(of listener: String, in lines: [String]) -> UInt16? {
        let names = ["\"listener\":\"\(listener)\"", "listener=\(listener)"]
        let said = lines.first { line in
            line.contains("listening") && names.contains(where: line.contains)
        }
        return said?.firstMatch(of: /[0-9]\.[0-9]:([0-9]+)/).flatMap { UInt16($0.1) }
    }

    // MARK: Its life

    package var pid: Int32 { process.processIdentifier }
    package var log: [String] { recorder.all }
    /// Lines on standard output.
    package var accessLog: [String] { requests.all }

    /// The access log once it has so many lines.
    package func accessLog(of count: Int) -> [String]? { requests.wait { $0.count >= count ? $0 : nil } }

    /// The first line of the log that contains all of this, once it is there.
    package func logLine(with words: String...) -> String? {
        recorder.wait { lines in lines.first { line in words.allSatisfy(line.contains) } }
    }

    /// Whether so many lines of the log contain all of this, once they are there: what has been answered or counted may
    /// have its line still to come.
    package func logs(_ count: Int, with words: String...) -> Bool {
        let found = recorder.wait { lines in
            let found = lines.count { line in words.allSatisfy(line.contains) }
            return found >= count ? found : nil
        }
        return found == count
    }

    /// Process identifiers of the decoders that live, as the log has told of them so far.
    package var decoders: [Int32] { Self.decoders(in: log) }

    /// The decoders that live, once there are so many.
    package func decoders(of count: Int) -> [Int32]? {
        recorder.wait { lines in
            let decoders = Self.decoders(in: lines)
            return decoders.count >= count ? decoders : nil
        }
    }

    /// The inspectors that live, once there are so many.
    package func inspectors(of count: Int) -> [Int32]? {
        recorder.wait { lines in
            let inspectors = Self.decoders(in: lines, "inspector")
            return inspectors.count >= count ? inspectors : nil
        }
    }

    private static func decoders(in lines: [String], _ kind: String = "decoder") -> [Int32] {
        let started = lines.compactMap { line in
            line.contains("\"\(kind) started\"")
                ? line.firstMatch(of: /"pid":"([0-9]+)"/).flatMap { Int32($0.1) } : nil
        }
        return started.filter { Glibc.kill($0, 0) == 0 }
    }

    /// Bytes of its memory that lie in RAM (proc(5), VmRSS).
    package var residentBytes: Int {
        let status =
            (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
        let kilobytes = status.firstMatch(of: /VmRSS:\s+([0-9]+) kB/).flatMap { Int($0.1) }
        return (kilobytes ?? 0) << 10
    }

    /// How many descriptors it has open.
    package var openDescriptors: Int {
        let folder = "/proc/\(process.processIdentifier)/fd"
        return (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0
    }

    /// Bytes of the files that it holds open and that have no name: deleted ones, and those in memory.
    package var namelessBytes: Int {
        let folder = "/proc/\(process.processIdentifier)/fd"
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return numbers.reduce(0) { sum, number in
            var status = stat()
            guard stat("\(folder)/\(number)", &status) == 0, status.st_mode & S_IFMT == S_IFREG,
                status.st_nlink == 0
            else { return sum }
            return sum + Int(status.st_size)
        }
    }

    /// SIGTERM, as a service manager sends it.
    package func terminate() { Glibc.kill(process.processIdentifier, SIGTERM) }

    package func signal(_ number: Int32) { Glibc.kill(process.processIdentifier, number) }

    /// Holds it still meanwhile: what comes to its sockets it finds all at once, however long it took to come.
    package func whileStopped<Result>(_ work: () throws -> Result) rethrows -> Result {
        Glibc.kill(process.processIdentifier, SIGSTOP)
        defer { Glibc.kill(process.processIdentifier, SIGCONT) }
        // proc(5), stat: the state stands behind the name.
        let status = "/proc/\(process.processIdentifier)/stat"
        _ = Patience.until {
            (try? String(contentsOfFile: status, encoding: .utf8))?.contains(") T ") ?? true
        }
        return try work()
    }

    /// Waits for its end, and until all that it wrote is here; the exit status, or 9 where it had to be killed.
    package func exitStatus() -> Int32 {
        process.waitForEnd()
        for lines in [recorder, requests] { lines.waitForEnd() }
        return process.terminationStatus
    }

    /// SIGTERM; the exit status.
    @discardableResult
    package func stop() -> Int32 {
        terminate()
        return exitStatus()
    }

    /// SIGKILL.
    package func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    // MARK: Asking it

    package func get(
        _ target: String, method: String = "GET", fields: [(String, String)] = [],
        from source: String = "127.0.0.1"
    ) throws -> Connection.Reply {
        let connection = try Connection(port: port, from: source)
        try connection.request(target, method: method, fields: fields)
        return try connection.reply(bodiless: method == "HEAD")
    }

    package func get(
        _ source: SourceURL, _ options: String = "", method: String = "GET", fields: [(String, String)] = []
    ) throws -> Connection.Reply {
        try get(Self.target(source, options), method: method, fields: fields)
    }

    /// `/img?url=…` with the source escaped as a client would.
    package static func target(_ source: String, _ options: String = "") -> String {
        let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
        let escaped = source.addingPercentEncoding(withAllowedCharacters: allowed) ?? source
        return "/img?url=\(escaped)" + (options.isEmpty ? "" : "&\(options)")
    }

    package static func target(_ source: SourceURL, _ options: String = "") -> String {
        target(source.absolute, options)
    }

    package func admin(
        _ target: String, method: String = "GET", fields: [(String, String)] = [], body: String = ""
    ) throws -> Connection.Reply {
        let connection = try Connection(port: adminPort)
        try connection.request(target, method: method, fields: fields, body: body)
        return try connection.reply(bodiless: method == "HEAD")
    }

    /// An environment in which the C library gives the look-up of a name up soon (resolv.conf(5)): so it fails as surely
    /// where nobody answers for names, or late, as where there is no such name.
    package static let withoutNames = ["RES_OPTIONS": "timeout:1 attempts:1"]

    // MARK: Giving it orders

    /// The token of a daemon that was started with `trusting`.
    package static let token = "a-token-for-the-tests"
    package static let trusting = ["PICTOR_ADMIN_TOKEN": token]
    package static let trusted = [("Authorization", "Bearer \(token)")]

    /// To a daemon that trusts the token.
    package func order(_ target: String, _ body: String = "", method: String = "POST") throws
        -> Connection.Reply
    {
        try admin(target, method: method, fields: Self.trusted, body: body)
    }

    /// `pictor` with these arguments, for this daemon and its cache.
    package func command(_ arguments: [String]) throws -> PictorCommand {
        try PictorCommand(
            arguments + ["--admin-listen", "127.0.0.1:\(adminPort)", "--cache-directory", cache.path],
            environment: Self.trusting)
    }

    /// The sum of a metric's samples, or of those with this label, written as `kind="original"`.
    package func metric(_ name: String, _ label: String = "") throws -> Int {
        let lines = try admin("/metrics").text.split(separator: "\n")
        let samples = lines.filter {
            $0.hasPrefix(name) && ["{", " "].contains($0.dropFirst(name.count).first)
                && (label.isEmpty || $0.contains(label))
        }
        guard !samples.isEmpty else { throw Connection.Failure(description: "no metric \(name)") }
        return samples.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }

    /// The path of an executable that is built beside the test bundle.
    package static func path(of program: String) throws -> String { try executable(program).path }

    static func executable(_ name: String) throws -> URL {
        let tests = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let url = tests.deletingLastPathComponent().appending(path: name)
        guard FileManager.default.isExecutableFile(atPath: url.path) else {
            throw Connection.Failure(description: "no \(name) beside \(tests.path)")
        }
        return url
    }
}
