// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// OpenSSL's test server (s_server) on loopback, for one certificate.
package final class SecureServer {
    package let port: UInt16
    private let process = Process()

    /// - Parameters:
    ///   - arguments: further ones, as `-HTTP`.
    ///   - folder: where it runs; nil: where the tests do.
    ///   - input: what it says to whoever connects, where no argument tells otherwise.
    package init(
        _ files: ServerCertificate, _ arguments: [String], folder: String? = nil, input: String = ""
    ) throws {
        let (standardInput, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", files.certificate, "-key",
                files.key,
            ] + arguments
        if let folder { process.currentDirectoryURL = URL(filePath: folder) }
        (process.standardInput, process.standardOutput) = (standardInput, output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        var text = ""
        // "ACCEPT 127.0.0.1:39161"
        while !text.contains(/ACCEPT \S+:\d+\s/) {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        guard let port = (text.firstMatch(of: /ACCEPT \S+:(\d+)/)?.1).flatMap({ UInt16($0) }) else {
            throw Connection.Failure(description: "openssl s_server says \(text)")
        }
        self.port = port
    }

    /// Takes nothing from now on.
    package func stop() { kill(process.processIdentifier, SIGSTOP) }

    deinit {
        // It may have inherited a mask that holds SIGTERM back.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
