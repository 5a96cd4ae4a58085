// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What the tests of a disk in trouble ask a daemon.
extension DaemonUnderTest {
    /// The metric, the log and the readiness say so, and the daemon is ready nevertheless.
    func saysTrouble(_ words: String) throws -> Bool {
        let isTold = try Patience.until {
            let ready = try admin("/health/ready")
            return try metric("pictor_disk_keeping") == 0 && ready.status == 200 && ready.text.contains(words)
        }
        return isTold && logLine(with: "the cache on disk", words) != nil
    }

    func saysRecovery() throws -> Bool {
        try Patience.until {
            try metric("pictor_disk_keeping") == 1 && admin("/health/ready").text == "ready\n"
        }
    }

    /// Pictures that nobody has asked for yet.
    func entries(_ kind: String) throws -> Int { try metric("pictor_disk_entries", "kind=\"\(kind)\"") }
}

extension ScriptedOrigin {
    /// One picture a path, some 40 KB each, with a validator.
    static func pictures() -> ScriptedOrigin {
        ScriptedOrigin { peer in
            let number = Int(peer.target.dropFirst()) ?? 0
            guard !peer.has("If-None-Match: \"\(number)\"") else {
                return peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
            }
            peer.picture(
                Pictures.gradient(120, 90 + number % 30, hue: UInt8(truncatingIfNeeded: number * 7)),
                fields: ["ETag: \"\(number)\""])
        }
    }
}
