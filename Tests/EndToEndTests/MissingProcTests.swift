// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Where /proc is missing, no command takes that for no arguments", .endToEnd)
struct MissingProcTests {
    @Test(arguments: ["serve", "check"])
    func `it says so, and does not end as if all were done`(word: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = [
            "--user", "--map-root-user", "--mount", "/bin/sh", "-c",
            "mount -t tmpfs none /proc && exec \"$@\"", "sh", try DaemonUnderTest.path(of: "pictor"), word,
        ]
        let errors = Pipe()
        process.standardOutput = FileHandle.nullDevice
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitForEnd()
        #expect(process.terminationStatus == 78 && text.contains("mount /proc"), "\(text)")
    }
}
