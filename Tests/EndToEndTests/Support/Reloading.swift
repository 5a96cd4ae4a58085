// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

/// The answer to an order to reload.
struct ReloadReport: Decodable {
    var changed: [String]
    var needs_restart: [String]
    var reasons: [String: String]
}

/// A suite whose daemons read their settings from a file that changes.
protocol Reloading {
    var folder: TemporaryFolder { get }
}

extension Reloading {
    var file: String { "\(folder.path)/pictor.yaml" }

    func write(_ lines: String...) throws {
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    }

    func daemon(_ flags: String...) throws -> DaemonUnderTest {
        try DaemonUnderTest(["--config", file] + flags, environment: DaemonUnderTest.trusting)
    }

    func reload(_ daemon: DaemonUnderTest) throws -> ReloadReport {
        let reply = try daemon.order("/admin/reload")
        #expect(reply.status == 200, "\(reply.text)")
        return try JSONDecoder().decode(ReloadReport.self, from: Data(reply.body))
    }

    /// The target of a picture at a width of 30, as `pictor url make` signs it with this key.
    func signed(_ source: SourceURL, by key: String) throws -> String {
        let arguments = ["url", "make", source.absolute, "w=30"]
        let command = try PictorCommand(arguments, environment: ["PICTOR_SIGNATURES_KEYS": key])
        #expect(command.status == 0, "\(command.error)")
        return command.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
