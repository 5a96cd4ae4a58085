// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPCaching
import Testing

@testable import Pipeline

@Suite("Every failure has a row that makes sense")
struct FailureRowTests {
    private static let reasons = PipelineFailure.Reason.examples

    /// The rows of adapters' failures that the pipeline replaces by its own.
    private static let own =
        OriginFailure.examples.map(\.row).filter { $0.own != nil }
        + DecodeFailure.examples.map(\.row).filter { $0.own != nil }

    /// The cases of an enum, from its declaration in a file of Sources/Pipeline/Failures.
    private func cases(of name: String, in file: String) throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appending(path: "Sources/Pipeline/Failures/\(file).swift")
        let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
        let begin = try #require(lines.firstIndex { $0.contains("enum \(name):") })
        let indent = lines[begin].prefix { $0 == " " }
        let body = lines[begin...].prefix { $0 != "\(indent)}" }
        return Set(body.compactMap { $0.firstMatch(of: /^ *case (\w+)/).map { String($0.1) } })
    }

    private func names(_ examples: [some Any]) -> Set<String> {
        Set(examples.map { String("\($0)".prefix { $0.isLetter }) })
    }

    @Test func `every case has its example, from which tables and tests are derived`() throws {
        #expect(try cases(of: "OriginFailure", in: "OriginFailure") == names(OriginFailure.examples))
        #expect(try cases(of: "DecodeFailure", in: "DecodeFailure") == names(DecodeFailure.examples))
        #expect(try cases(of: "Reason", in: "PipelineFailure") == names(Self.reasons))
        #expect(OriginFailure.examples.count == Set(OriginFailure.examples).count)
        #expect(DecodeFailure.examples.count == Set(DecodeFailure.examples).count)
    }

    @Test(arguments: reasons)
    func `a failure has a status of an error, a word, and a sentence without inner addresses`(
        reason: PipelineFailure.Reason
    ) {
        let row = reason.row
        #expect((400...599).contains(row.status))
        #expect(row.code.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil)
        #expect(row.message.wholeMatch(of: /[A-Z].*[^.]\./) != nil)
        for text in [row.message, row.weserv.text].compactMap({ $0 }) {
            #expect(text.firstMatch(of: /:\/\/|\d\.\d|\[|localhost|(^| )\//) == nil)
        }
        #expect(!row.when.text.isEmpty && !row.when.text.hasSuffix("."))
    }

    @Test func `different failures have different sentences`() {
        let thrown = Self.reasons.filter { $0.row.own == nil }
        #expect(Set(thrown.map(\.row.message)).count == thrown.count)
    }

    @Test func `a word is of one section, and of one status but for that of the origin's own`() {
        for (code, rows) in Dictionary(grouping: Self.reasons.map(\.row), by: \.code) {
            #expect(Set(rows.map(\.when.section)).count == 1, "\(code)")
            if code != "origin_status" { #expect(Set(rows.map(\.status)).count == 1, "\(code)") }
        }
    }

    @Test(arguments: own)
    func `a trouble of ours is not remembered, is no sign against the origin, and asks to come again`(
        row: FailureRow
    ) {
        #expect(row.memory == .never)
        #expect(row.health == .none)
        #expect(row.status == 503)
        #expect((row.retryAfter ?? 0) > 0)
        #expect(row.weserv == .unchanged)
        #expect(row.held != .isSuperseded)
    }

    @Test(arguments: reasons)
    func `a time to come again is told with 429 or 503, unless the origin chose the status`(
        reason: PipelineFailure.Reason
    ) {
        if case .originStatus = reason { return }
        // RFC 6585 §4 (429) and RFC 9110 §15.6.4 (503) define `Retry-After`.
        if reason.row.retryAfter != nil { #expect([429, 503].contains(reason.row.status)) }
    }

    @Test func `the pipeline throws its own word for a trouble of ours, and other failures as they are`() {
        for failure in OriginFailure.examples {
            #expect(PipelineFailure(origin: failure).reason == failure.row.own ?? .origin(failure))
        }
        for failure in DecodeFailure.examples {
            #expect(PipelineFailure(decode: failure).reason == failure.row.own ?? .decode(failure))
        }
        #expect(PipelineFailure(origin: .overloaded(retryAfter: 7)).reason == .overloaded(retryAfter: 7))
        #expect(PipelineFailure(origin: .unavailable).reason == .unavailable(.fetch))
        #expect(PipelineFailure(decode: .unavailable).reason == .unavailable(.decoder))
        #expect(PipelineFailure(decode: .cancelled).reason == .cancelled)
        #expect(Self.own.count == 6)
    }

    @Test(arguments: OriginFailure.examples)
    func
        `an exchange that failed is counted, and what speaks against the origin is remembered and stood in for`(
            failure: OriginFailure
        )
    {
        let row = failure.row
        #expect(row.fetch != nil)
        if [.down, .failed, .downUnlessConnected].contains(row.health) {
            #expect(row.memory != .never)
            #expect(row.held == .standsIn)
        }
        guard case .known(_, let subject) = row.memory else { return }
        #expect(subject == .source)
    }

    @Test(arguments: DecodeFailure.examples)
    func `a picture that cannot be made says nothing against its origin, and nothing stands in for it`(
        failure: DecodeFailure
    ) {
        let row = failure.row
        #expect(row.health == .none)
        if row.own == nil {
            #expect(row.held != .standsIn)
            #expect(row.retryAfter == nil)
        }
    }

    @Test(arguments: 100...599)
    func `an origin's status is judged by its own rules`(status: Int) {
        let row = PipelineFailure.Reason.originStatus(status, retryAfter: 3).row
        #expect(row.memory == .byAnswer)
        #expect(row.fetch == (400...499 ~= status ? .clientError : .serverError))
        #expect((row.retryAfter == nil) == (row.status == 502))
        #expect((row.held == .standsIn) == OriginStatus(status).isPassingFailure)
        #expect((row.held == .isSuperseded) == OriginStatus(status).isRefusal)
    }

    @Test(arguments: reasons)
    func `what is remembered concerns the request or the picture, and not how busy this side is`(
        reason: PipelineFailure.Reason
    ) {
        let row = reason.row
        guard row.memory != .never else { return }
        #expect(!row.isRefunded)
        switch reason {
        case .origin, .decode, .originStatus: break
        case .originResting, .overloaded, .tooManyRenditions, .throttled, .unavailable, .notHeld, .cancelled:
            Issue.record("\(reason) is remembered")
        }
    }

    @Test(arguments: reasons)
    func `wsrv.nl knows two statuses, and is not asked where coming again helps`(
        reason: PipelineFailure.Reason
    ) {
        guard case .replaced(let status, let message) = reason.row.weserv else { return }
        #expect([400, 404].contains(status))
        #expect(!message.isEmpty)
        if case .originStatus = reason { return }
        #expect(reason.row.retryAfter == nil)
    }

    @Test func `a browser is sent to the source unless that is forbidden or a circle`() {
        let forbidden = OriginFailure.examples.filter { !$0.row.allowsSource }
        #expect(forbidden == [.sourceRefused, .tooManyRedirects(limit: 5)])
        #expect(DecodeFailure.examples.allSatisfy { $0.row.allowsSource })
    }
}

extension FailureRow.Weserv {
    fileprivate var text: String? {
        if case .replaced(_, let text) = self { text } else { nil }
    }
}
