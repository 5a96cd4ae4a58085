// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Whether this machine lets a program have a /proc of its own.
private let mayHideProc =
    (try? Program.run(MissingProcTests.namespace + ["mount", "-t", "tmpfs", "none", "/proc"]))?.status == 0

@Suite("Where /proc is missing, no command takes that for no arguments", .endToEnd)
struct MissingProcTests {
    fileprivate static let namespace = ["unshare", "--user", "--map-root-user", "--mount"]

    @Test(
        .enabled(if: mayHideProc, "this machine gives no program a /proc of its own"),
        arguments: ["serve", "check"])
    func `it says so, and does not end as if all were done`(word: String) throws {
        let pictor = try DaemonUnderTest.path(of: "pictor")
        let program = try #require(
            try Program.run(
                Self.namespace + [
                    "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh", pictor, word,
                ]))
        #expect(program.status == 78 && program.output.contains("mount /proc"), "\(program.output)")
    }
}
