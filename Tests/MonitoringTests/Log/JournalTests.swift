// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Settings
import Testing

@testable import Monitoring

@Suite("The journal gets priorities, and no time")
struct JournalTests {
    /// The lines that a logger writes to a pipe, one for each level.
    private static func lines(_ format: LogFormat, isJournal: Bool) throws -> [String] {
        let written = try WrittenLog()
        let stream = written.stream
        var settings = Settings()
        (settings.log.level, settings.log.format) = (.trace, format)
        let rules = LogRules(settings)
        let logger = Logger(label: "pictor") {
            LineLogHandler(label: $0, rules: rules, stream: stream, isJournal: isJournal)
        }
        for level in Logger.Level.allCases { logger.log(level: level, "one\ntwo", metadata: ["n": "1"]) }
        return try written.lines()
    }

    @Test func `each line begins with its level's priority`() throws {
        let expected = [
            "<7>trace", "<7>debug", "<6>info", "<5>notice", "<4>warning", "<3>error", "<2>critical",
        ]
        let text = try Self.lines(.text, isJournal: true)
        let json = try Self.lines(.json, isJournal: true)
        #expect(text.count == expected.count && json.count == expected.count)
        for (line, start) in zip(text, expected) { #expect(line.hasPrefix(start + " pictor: n=1 ")) }
        for (line, start) in zip(json, expected) {
            #expect(line.hasPrefix(start.prefix(3) + #"{"time":""#))
        }
    }

    @Test(arguments: [
        ("Error: log.level is none\nError: \n", "<3>Error: log.level is none\n<3>Error: \n"),
        ("In force: a\nWarning: b\n\n", "In force: a\n<4>Warning: b\n\n"), ("an Error: c", "an Error: c"),
        ("", ""),
    ])
    func `a command's errors have their priority too`(text: String, written: String) {
        #expect(JournalStream.prioritised(text) == written)
    }

    @Test func `elsewhere a line begins with the time`() throws {
        for line in try Self.lines(.text, isJournal: false) {
            #expect(
                line.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ [a-z]+ pictor: n=1 .*/) != nil, "\(line)"
            )
        }
        for line in try Self.lines(.json, isJournal: false) { #expect(line.hasPrefix("{")) }
    }

    @Test func `the journal is the stream that systemd has named`() throws {
        let (one, other) = (Pipe(), Pipe())
        var status = stat()
        let descriptor = one.fileHandleForWriting.fileDescriptor
        try #require(fstat(descriptor, &status) == 0)
        let name = "\(status.st_dev):\(status.st_ino)"
        #expect(JournalStream.isBehind(descriptor, name: name))
        #expect(!JournalStream.isBehind(other.fileHandleForWriting.fileDescriptor, name: name))
        for wrong in [nil, "", "8:1", name + "0", "x"] {
            #expect(!JournalStream.isBehind(descriptor, name: wrong))
        }
        #expect(!JournalStream.isBehind(-1, name: name))
    }
}
