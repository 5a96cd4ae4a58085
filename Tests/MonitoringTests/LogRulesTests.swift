// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Settings
import Testing

@testable import Monitoring

@Suite("The rules of the log change for loggers that are there already")
struct LogRulesTests {
    private let pipe = Pipe()
    private let stream: LogStream

    init() throws {
        stream = try LogStream(
            descriptor: pipe.fileHandleForWriting.fileDescriptor, name: "test", limit: 1 << 20
        ) { _ in }
    }

    private func lines() throws -> [String] {
        stream.close()
        try pipe.fileHandleForWriting.close()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        return text.split(separator: "\n").map(String.init)
    }

    @Test func `level, format and hidden parameters are those of the moment`() throws {
        var settings = Settings()
        (settings.log.level, settings.log.format, settings.log.redact) = (.info, .text, ["token"])
        let rules = LogRules(settings)
        let logger = Logger(label: "pictor") { LineLogHandler(label: $0, rules: rules, stream: stream) }
        let metadata: Logger.Metadata = ["url": "/a?token=one&ticket=two"]
        logger.debug("not yet", metadata: metadata)
        logger.info("first", metadata: metadata)
        (settings.log.level, settings.log.format, settings.log.redact) = (.debug, .json, ["ticket"])
        rules.replace(with: settings)
        logger.debug("second", metadata: metadata)
        settings.log.level = .error
        rules.replace(with: settings)
        logger.warning("no more", metadata: metadata)

        let lines = try lines()
        try #require(lines.count == 2, "\(lines)")
        #expect(lines[0].hasSuffix("first") && lines[0].contains("token=REDACTED&ticket=two"))
        #expect(lines[1].hasPrefix("{") && lines[1].contains(#""message":"second""#))
        #expect(lines[1].contains("token=one\\u0026ticket=REDACTED"))
    }

    @Test func `a logger's own level stays its own`() throws {
        let rules = LogRules(Settings())
        var logger = Logger(label: "pictor") { LineLogHandler(label: $0, rules: rules, stream: stream) }
        logger.logLevel = .critical
        var settings = Settings()
        settings.log.level = .trace
        rules.replace(with: settings)
        logger.error("not written")
        #expect(try lines().isEmpty)
    }
}
