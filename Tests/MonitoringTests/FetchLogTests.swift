// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Settings
import SourceURLs
import Testing

@testable import Monitoring

struct FetchLogTests {
    private let pipe = Pipe()
    private let stream: LogStream
    private let log: FetchLog
    private let url = SourceURL(scheme: .https, host: "host.test", port: 443, target: "/a.png")

    init() throws {
        let stream = try LogStream(
            descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "test", limit: 1 << 20
        ) { _ in }
        let rules = LogRules(Settings())
        self.stream = stream
        log = FetchLog(
            Logger(label: "pictor") { LineLogHandler(label: $0, rules: rules, stream: stream) })
    }

    private func note(_ status: Int, _ times: Int = 1, at second: Int64) {
        for _ in 0..<times {
            log.note(status: status, from: url, of: url, code: "origin_status", now: second)
        }
    }

    private func lines() throws -> [String] {
        stream.close()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    @Test func `pictures that are missing do not hide an origin that fails`() throws {
        note(404, 30, at: 7)
        note(500, at: 7)
        note(404, at: 8)
        let lines = try lines()
        try #require(lines.count == 12, "\(lines)")
        #expect(lines.prefix(10).allSatisfy { $0.contains(" info ") && $0.contains(" status=404 ") })
        #expect(lines[10].contains(" notice ") && lines[10].contains(" status=500 "))
        #expect(!lines[10].contains("left-out") && lines[11].contains(" left-out=20 "))
    }
}
