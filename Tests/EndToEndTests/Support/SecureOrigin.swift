// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// An origin over TLS, whose certificate nobody but itself vouches for: OpenSSL's test server, which sends a file as it is.
final class SecureOrigin {
    private let server: SecureServer

    /// - Parameter demands: further arguments, as `-Verify 1`.
    init(in folder: String, demands: [String] = []) throws {
        let files = try ServerCertificate(in: folder)
        let picture = Pictures.gradient(60, 40)
        let head =
            "HTTP/1.0 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(picture.count)\r\n\r\n"
        try (Data(head.utf8) + Data(picture)).write(to: URL(filePath: folder + "/a.png"))
        server = try SecureServer(files, ["-HTTP"] + demands, folder: folder)
    }

    var port: UInt16 { server.port }
    var picture: String { "https://127.0.0.1:\(port)/a.png" }
}
