// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// A command that ran to its end.
package struct PictorCommand: Sendable {
    package let status: Int32
    package let output: String
    package let error: String

    /// - Parameters:
    ///   - resolver: what it looks names up at; nil = at this machine's.
    ///   - wrapper: words of a command that runs it, as `DaemonUnderTest` takes them.
    ///   - openFiles: descriptors that it may have; nil = as many as this process.
    ///   - socket: what it has from a service manager; nil = nothing.
    ///   - fillsDisk: whether its standard output takes no byte, as on a disk that is full; `output` is empty then.
    package init(
        _ arguments: [String], environment: [String: String] = [:], resolver: ScriptedResolver? = nil,
        wrapper: [String] = [], openFiles: Int? = nil, socket: ListeningSocket? = nil, fillsDisk: Bool = false
    ) throws {
        let process = Process()
        // A command that hangs ends with status 124, and its pipes with it.
        process.executableURL = URL(filePath: "/usr/bin/timeout")
        let wrapped =
            try wrapper.first.map { [try DaemonUnderTest.executable($0).path] + wrapper.dropFirst() } ?? []
        let bounded = openFiles.map { ["/bin/sh", "-c", "ulimit -n \($0) && exec \"$@\"", "sh"] } ?? []
        var command = bounded + wrapped + [try DaemonUnderTest.executable("pictor").path] + arguments
        if let socket { command = socket.give(to: process, running: command) }
        process.arguments = ["\(Int(Patience.seconds))"] + (resolver?.wrapping(command) ?? command)
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        let (output, error) = (Pipe(), Pipe())
        if fillsDisk {
            process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
            try output.fileHandleForWriting.close()
        } else {
            process.standardOutput = output
        }
        process.standardError = error
        try process.run()
        // Neither says so much that the other could block.
        self.output = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        self.error = String(decoding: error.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        status = process.terminationStatus
    }

    /// `pictor check` of settings by which a daemon could start beside others.
    package static func check(
        _ flags: [String], cache folder: String, environment: [String: String] = [:]
    ) throws -> PictorCommand {
        try PictorCommand(
            [
                "check", "--cache-directory", folder, "--server-listen", "127.0.0.1:0", "--admin-listen", "",
            ] + flags, environment: environment)
    }

    package var lines: [String] { output.split(separator: "\n").map(String.init) }
}

extension [String] {
    /// These flags, with another value in place of the one that the flag has.
    package func with(_ flag: String, _ value: String) -> [String] {
        guard let place = firstIndex(of: flag), indices.contains(place + 1) else {
            return self + [flag, value]
        }
        var flags = self
        flags[place + 1] = value
        return flags
    }
}
