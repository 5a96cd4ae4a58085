// SPDX-License-Identifier: Apache-2.0

import Foundation
import Logging
import Settings
import Testing

@testable import Monitoring

struct OrderLogTests {
    private let written: WrittenLog
    private let log: OrderLog

    init() throws {
        let written = try WrittenLog()
        let (stream, rules) = (written.stream, LogRules(Settings()))
        self.written = written
        log = OrderLog(
            Logger(label: "pictor") { LineLogHandler(label: $0, rules: rules, stream: stream) })
    }

    @Test func `a line tells who ordered what, and what came of it, without secrets`() throws {
        let body = #"{"url":"https://host.test/a.png?token=hidden"}"#
        log.note("/admin/purge", Array(body.utf8), from: "192.0.2.1:9", status: 200, now: 7)
        let lines = try written.lines()
        let line = try #require(lines.first)
        #expect(lines.count == 1 && line.contains(" notice ") && line.hasSuffix("an order was given"))
        for words in [
            " order=/admin/purge ", " from=192.0.2.1:9 ", " status=200 ", "https://host.test/a.png",
        ] {
            #expect(line.contains(words), "\(line)")
        }
        #expect(!line.contains("hidden"))
    }

    @Test(arguments: [
        #"{"url":"https:\/\/user:hidden@host.test\/a.png"}"#,
        #"{"url":"https://host.test/a.png?v=1\u0026token=hidden"}"#,
        #"{"url":"https://user:a\u0026hidden@host.test/a.png"}"#,
        // The password is cut.
        #"{"urls":[""# + String(repeating: "a", count: 470)
            + #"","https://user:hiddenhiddenhidden@host.test/"]}"#,
        #"{"urls":[""# + String(repeating: "a", count: 470)
            + #"","https://user:a/hiddenhiddenhidden@host.test/"]}"#,
        #"{"urls":["https://host.test/"# + String(repeating: "a", count: 452)
            + #"","user:hiddenhiddenhiddenhidden@host.test/"]}"#,
    ])
    func `secrets are hidden behind JSON's escapes and where a body is cut`(body: String) throws {
        log.note("/admin/purge", Array(body.utf8), from: "192.0.2.1:9", status: 200, now: 7)
        let lines = try written.lines()
        #expect(
            lines.count == 1 && lines.allSatisfy { $0.contains("https://") && !$0.contains("hidden") },
            "\(lines)")
    }

    @Test(arguments: [
        (#"{"url":"https://h/a?token=hidden","soft":true}"#, #"a?token=REDACTED","soft":true}"#),
        (#"{"url":"https://h/a?token=a\"hidden","soft":true}"#, #"a?token=REDACTED","soft":true}"#),
        (#"{"url":"https://h/a?token=a\u0022hidden","soft":true}"#, #"a?token=REDACTED","soft":true}"#),
        (#"{"url":"https://h/a?token=hidden\\","soft":true}"#, #"a?token=REDACTED","soft":true}"#),
        (#"{"url":"https://h/a?token=a\u005c\u0022hidden","soft":true}"#, #"a?token=REDACTED","soft":true}"#),
        (#"{"url":"https://h/a?token=hidden\u005c","soft":true}"#, #"a?token=REDACTED","soft":true}"#),
    ])
    func `what an order says behind a secret is told`(body: String, words: String) throws {
        log.note("/admin/purge", Array(body.utf8), from: "192.0.2.1:9", status: 200, now: 7)
        let line = try #require(try written.lines().first)
        #expect(line.contains(words) && !line.contains("hidden"), "\(line)")
    }

    /// An order that takes no body succeeds whatever it is sent.
    @Test(arguments: [("/admin/purge", 400), ("/admin/drain", 202)])
    func `a secret in what is no JSON has no end`(order: String, status: Int) throws {
        let body = #"{"url":"https://host.test/a?token=a"hidden","soft":true}"#
        log.note(order, Array(body.utf8), from: "192.0.2.1:9", status: status, now: 7)
        let line = try #require(try written.lines().first)
        #expect(line.contains("a?token=REDACTED") && !line.contains("hidden"), "\(line)")
    }

    @Test func `those who may give none do not hide what others order`() throws {
        for _ in 0..<30 {
            log.note(refused: "/admin/purge", from: "192.0.2.1:9", error: "unauthorized", now: 7)
        }
        log.note("/admin/drain", [], from: "unix", status: 202, now: 7)
        log.note(refused: "/admin/drain", from: "192.0.2.1:9", error: "unauthorized", now: 8)
        let lines = try written.lines()
        try #require(lines.count == 12, "\(lines)")
        #expect(lines.prefix(10).allSatisfy { $0.contains(" error=unauthorized ") })
        #expect(lines[10].contains(" from=unix ") && !lines[10].contains("left-out"))
        #expect(lines[11].contains(" left-out=20 "))
    }
}
