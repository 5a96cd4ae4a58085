// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("Operators see which fields are passed, and are told of mistakes, and never see a value", .endToEnd)
struct PassedFieldReportTests: PassingFields {
    let folder = TemporaryFolder()

    @Test func `explain and check name the fields, and never a value`() throws {
        let personal = PersonalOrigin()
        try pass("Cookie, Accept-Language", at: personal.origin)
        let daemon = try daemon()
        _ = try daemon.raw(personal.origin.url(), "Cookie", "s=anna")
        let query = DaemonUnderTest.target(personal.origin.url(), "w=30").drop { $0 != "?" }
        let fields = DaemonUnderTest.trusted + [("Cookie", "s=anna")]
        let known = try daemon.admin("/admin/explain\(query)", fields: fields).text
        #expect(
            known.contains("\"passed\":[\"cookie\"]")
                && known.contains("\"passes\":[\"cookie\",\"accept-language\"]"))
        #expect(known.contains("\"original\":{") && !known.contains("anna"))
        #expect(known.contains("\"cache_control\":\"private, max-age"), "\(known)")
        let other = try daemon.admin(
            "/admin/explain\(query)", fields: DaemonUnderTest.trusted + [("Cookie", "s=ben")]
        ).text
        #expect(other.contains("\"passed\":[\"cookie\"]") && !other.contains("\"original\":{"))
        let none = try daemon.order("/admin/explain\(query)", method: "GET").text
        #expect(!none.contains("\"passed\":") && !none.contains("\"original\":{"))
        let list = try daemon.order("/admin/list", method: "GET").text
        #expect(!list.contains("anna"))
        let check = try PictorCommand(["check", "--origin-profiles", profiles])
        #expect(
            check.status == 0 && check.error.contains("shop passes Cookie, Accept-Language of clients on"))
        #expect(check.error.contains("shop passes fields of clients by http"))
    }

    @Test func `names that are Pictor's, or the profile's own, are mistakes`() throws {
        let names = [
            "Host", "connection", "TE", "Content-Type", "Range", "If-None-Match", "Accept-Encoding", "Expect",
            "Forwarded", "X-Forwarded-For", "Proxy-Connection", "Cache-Control", "Traceparent", "Via",
            "CDN-Loop", "Keep-Alive",
        ]
        try write("a:", "  match: a.example", "  pass: [\(names.joined(separator: ", "))]")
        let first = try PictorCommand(["check", "--origin-profiles", profiles])
        #expect(first.status == 78)
        for name in names { #expect(first.error.contains("a pass may not hold \(name),"), "\(name)") }
        try write(
            "b:", "  match: b.example", "  bearer: abc", "  headers: {X-Own: d}",
            "  pass: [authorization, x-own]",
            "c:", "  match: c.example", "  pass: ['X-*', 'a b', '']", "d:", "  match: d.example",
            "  pass: {Cookie: 1}")
        let second = try PictorCommand(["check", "--origin-profiles", profiles])
        #expect(second.status == 78)
        for words in [
            "b passes authorization, which it sets itself", "b passes x-own, which it sets itself",
            "c pass must be a list", "d pass must be a list",
        ] { #expect(second.error.contains(words), "\(words): \(second.error)") }
        try write("c:", "  match: c.example", "  pass: ['X-*', 'a b']")
        let third = try PictorCommand(["check", "--origin-profiles", profiles])
        #expect(third.error.contains("c pass must be names of fields"))
    }
}
