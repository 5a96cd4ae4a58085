// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A program of this machine that ran to its end.
package struct Program: Sendable {
    package let status: Int32
    /// Standard output and standard error, in the order in which they were written.
    package let output: String

    /// Whether one of that name is on the path, or where those of root are.
    package static func isInstalled(_ name: String) -> Bool {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":") + ["/usr/sbin"]).contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(name)")
        }
    }

    /// - Returns: nil where there is no such program.
    package static func run(
        _ command: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
        folder: String? = nil
    ) throws -> Program? {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["timeout", "\(Int(Patience.seconds))"] + command
        process.environment = environment
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        // timeout(1): 127 where the command is not found.
        return process.terminationStatus == 127
            ? nil : Program(status: process.terminationStatus, output: text)
    }

    /// A line for a shell that finds what is built beside the test bundle, as `pictor`.
    package static func shell(
        _ line: String, environment: [String: String] = [:], folder: String
    ) throws -> Program? {
        let built = try DaemonUnderTest.executable("pictor").deletingLastPathComponent().path
        let environment = environment.merging(["PATH": "\(built):/usr/bin:/bin"]) { $1 }
        return try run(["sh", "-c", line], environment: environment, folder: folder)
    }
}
