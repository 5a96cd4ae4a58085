// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Nothing that the daemon knows is left behind in a core", .endToEnd)
struct CoreDumpTests {
    @Test func `neither the daemon nor its worker processes may write one`() throws {
        let daemon = try DaemonUnderTest(["--decoder-jail", "require"])
        let workers = try #require(daemon.decoders(of: 3)) + #require(daemon.inspectors(of: 2))
        for pid in [daemon.pid] + workers {
            let limits = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8)
            #expect(limits.firstMatch(of: /Max core file size +0 +0/) != nil, "\(limits)")
        }
    }
}
