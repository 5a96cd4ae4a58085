// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A daemon whose start waits: the Redis server of its fleet is connected, and never answers.
final class HeldStart {
    let cache = TemporaryFolder()
    /// The Unix socket of its admin listener.
    let admin: String
    /// The first process: the daemon, or what runs it.
    let process = Process()
    let log: Lines
    private let redis: RedisServer

    /// Returns once the daemon has decoders.
    init(wrapper: [String] = [], environment: [String: String] = [:]) throws {
        redis = try RedisServer()
        redis.signal(SIGSTOP)
        admin = cache.path + "/admin.sock"
        let words =
            wrapper + [
                try DaemonUnderTest.path(of: "pictor"), "serve", "--server-listen", "127.0.0.1:0",
                "--admin-listen", "unix:\(admin)", "--cache-directory", cache.path + "/cache",
                "--cache-disk", "1GiB", "--decoder-processes", "1", "--fleet-redis", "\(redis.socket)",
                "--fleet-catch-up-timeout", "1h",
            ]
        let errors = Pipe()
        process.executableURL = URL(filePath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        process.standardError = errors
        try process.run()
        log = Lines(errors)
        _ = log.wait { lines in lines.first { $0.contains("decoder started") } }
    }

    deinit {
        // With what it has started.
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        redis.signal(SIGCONT)
    }

    /// Waits for its end; the exit status.
    func exitStatus() -> Int32 {
        process.waitForEnd()
        return process.terminationStatus
    }

    /// True once this is the last line of the log.
    func endsLog(with words: String) -> Bool {
        log.wait { lines in lines.last.flatMap { $0.contains(words) ? true : nil } } ?? false
    }
}
