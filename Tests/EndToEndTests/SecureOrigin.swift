// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// An origin over TLS, whose certificate nobody but itself vouches for: OpenSSL's test server, which sends a file as it is.
final class SecureOrigin {
    let port: UInt16
    private let process = Process()

    /// - Parameter demands: further arguments, as `-Verify 1`.
    init(in folder: String, demands: [String] = []) throws {
        _ = try ServerCertificate(in: folder)
        let picture = Pictures.gradient(60, 40)
        let head =
            "HTTP/1.0 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(picture.count)\r\n\r\n"
        try (Data(head.utf8) + Data(picture)).write(to: URL(filePath: folder + "/a.png"))
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            [
                "openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key",
                "key.pem",
                "-HTTP",
            ] + demands
        process.currentDirectoryURL = URL(filePath: folder)
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = Pipe()
        try process.run()
        var text = ""
        // "ACCEPT 127.0.0.1:39161"
        while !text.contains(/ACCEPT \S+:\d+\s/) {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { break }
            text += String(decoding: bytes, as: UTF8.self)
        }
        port = try #require(
            (text.firstMatch(of: /ACCEPT \S+:(\d+)/)?.1).flatMap { UInt16($0) }, "\(text)")
    }

    deinit {
        // It may have inherited a mask that holds SIGTERM back.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    var picture: String { "https://127.0.0.1:\(port)/a.png" }
}
