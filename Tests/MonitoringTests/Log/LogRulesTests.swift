// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Settings
import Telemetry
import Testing

@testable import Monitoring

@Suite("The rules of the log change for loggers that are there already")
struct LogRulesTests {
    private let written: WrittenLog
    private let stream: LogStream

    init() throws {
        written = try WrittenLog()
        stream = written.stream
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

        let lines = try written.lines()
        try #require(lines.count == 2, "\(lines)")
        #expect(lines[0].hasSuffix("first") && lines[0].contains("token=REDACTED&ticket=two"))
        #expect(lines[1].hasPrefix("{") && lines[1].contains(#""message":"second""#))
        #expect(lines[1].contains("token=one\\u0026ticket=REDACTED"))
    }

    @Test func `a URL of Cloudflare's has no signature where imgproxy's have theirs below the root`() {
        var settings = Settings()
        (settings.imgproxy.enabled, settings.imgproxy.path) = (true, "/")
        let target = "/cdn-cgi/image/width=80/https://h.example/a.jpg"
        #expect(
            settings.secretParameters.redacted(target, .target)
                == "/REDACTED/image/width=80/https://h.example/a.jpg")
        settings.cloudflare.enabled = true
        #expect(settings.secretParameters.redacted(target, .target) == target)
    }

    @Test func `a logger's own level stays its own`() throws {
        let rules = LogRules(Settings())
        var logger = Logger(label: "pictor") { LineLogHandler(label: $0, rules: rules, stream: stream) }
        logger.logLevel = .critical
        var settings = Settings()
        settings.log.level = .trace
        rules.replace(with: settings)
        logger.error("not written")
        #expect(try written.lines().isEmpty)
    }
}
