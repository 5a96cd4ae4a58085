// SPDX-License-Identifier: Apache-2.0

import Logging
import Settings
import Testing

@testable import Monitoring

@Suite("Mistakes in settings are shown without what logs hide")
struct ShownMistakesTests {
    @Test(arguments: [
        (
            "cors.allow: \"https://user:a-password@host\" is no origin",
            "cors.allow: \"https://REDACTED@host\" is no origin"
        ),
        (
            "cors.allow: \"https://user:a-\"pass\" word@host\" is no origin",
            "cors.allow: \"https://REDACTED@host\" is no origin"
        ),
        (
            "pictor.yaml:7: options.watermarks: \"https://host/a b?w=1&sig=a-signature\": no URL",
            "pictor.yaml:7: options.watermarks: \"https://host/a b?w=1&sig=REDACTED\": no URL"
        ),
    ])
    func `a URL that is quoted keeps its password and its signature to itself`(
        mistake: String, shown: String
    ) {
        #expect(ShownMistakes.list([mistake]) == [shown])
    }

    @Test func `the log has the reason of each, and hides what those in force name too`() throws {
        var settings = Settings()
        settings.log.redact = ["ticket"]
        let mistakes = ShownMistakes(
            [
                "a: \"https://host/?sig=a-signature\" is no origin",
                "b: \"https://host/?ticket=a-ticket\" is no host", "c must be a number",
            ], besides: settings)
        let written = try WrittenLog()
        let (stream, rules) = (written.stream, LogRules(settings))
        let logger = Logger(label: "pictor") { LineLogHandler(label: $0, rules: rules, stream: stream) }
        logger.error("not reloaded", metadata: ["mistakes": .stringConvertible(mistakes)])
        let line = try #require(try written.lines().first)
        #expect(
            line.contains(
                "mistakes=a: \"https://host/?sig=REDACTED\" is no origin; "
                    + "b: \"https://host/?ticket=REDACTED\" is no host; c must be a number ["), "\(line)")
    }

    @Test(arguments: [
        "pictor.yaml:3: no such setting: server.lisen; did you mean server.listen?",
        "--cache-memory: cache.memory must be 0B, or bytes from 64KiB on, not \"12Q\"",
        "options.watermarks: \"logo\" is not name=https://… or name=/path/of/a/file",
        "origin.proxy is no http://host:port or socks5://host:port; a user and a password belong into origin.proxy-credentials",
        "/etc/pictor@2/pictor.yaml: No such file or directory",
    ])
    func `a mistake without secrets is shown as it is`(mistake: String) {
        #expect(ShownMistakes.list([mistake]) == [mistake])
    }
}
