// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Settings
import SourceURLs
import Testing

@testable import Monitoring

struct FetchLogTests {
    private let written: WrittenLog
    private let log: FetchLog
    private let url = SourceURL(scheme: .https, host: "host.test", port: 443, target: "/a.png")

    init() throws {
        let written = try WrittenLog()
        let (stream, rules) = (written.stream, LogRules(Settings()))
        self.written = written
        log = FetchLog(
            Logger(label: "pictor") { LineLogHandler(label: $0, rules: rules, stream: stream) })
    }

    private func note(_ status: Int, _ times: Int = 1, at second: Int64) {
        for _ in 0..<times {
            log.note(status: status, from: url, of: url, code: "origin_status", now: second)
        }
    }

    @Test func `pictures that are missing do not hide an origin that fails`() throws {
        note(404, 30, at: 7)
        note(500, at: 7)
        note(404, at: 8)
        let lines = try written.lines()
        try #require(lines.count == 12, "\(lines)")
        #expect(lines.prefix(10).allSatisfy { $0.contains(" info ") && $0.contains(" status=404 ") })
        #expect(lines[10].contains(" notice ") && lines[10].contains(" status=500 "))
        #expect(!lines[10].contains("left-out") && lines[11].contains(" left-out=20 "))
    }
}
