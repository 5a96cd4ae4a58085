// SPDX-License-Identifier: Apache-2.0

@testable import Answers
@testable import Daemon
import HTTP1
import Pipeline
import Telemetry
import TestSupport
import Testing

@Suite("The reference of errors is derived from rows and kinds")
struct ErrorReferenceTests {
    private static let document = try? Document("docs/reference/errors.md")

    /// The third cell of the row whose first two cells are the status and the code.
    private func when(_ status: Int, _ code: String) throws -> String {
        let rows = try #require(Self.document).rows.filter { $0.count == 3 }
        let found = rows.filter { $0[0] == "\(status)" && $0[1] == "`\(code)`" }
        #expect(found.count == 1)
        return try #require(found.first)[2]
    }

    @Test(arguments: PipelineFailure.Reason.examples)
    func `every failure is told as its row says, and the reference says when`(
        reason: PipelineFailure.Reason
    ) throws {
        let (row, response) = (reason.row, ErrorResponse(PipelineFailure(reason)))
        #expect((response.status, response.code) == (row.status, row.code))
        #expect((response.message, response.retryAfter) == (row.message, row.retryAfter))
        #expect(try when(row.status, row.code).contains(row.when.text))
    }

    @Test(arguments: RefusalKind.allCases)
    func `every other refusal is told as its kind says, and the reference says when`(
        kind: RefusalKind
    ) throws {
        let (entry, response) = (kind.entry, ErrorResponse(kind, "Words."))
        #expect((response.status, response.code) == (entry.status, entry.code))
        #expect(try when(entry.status, entry.code).contains(entry.when))
    }

    @Test func `kinds of refusals are told apart, and a word is of one section`() {
        let kinds = RefusalKind.allCases.map { "\($0.entry.status) \($0.entry.code)" }
        #expect(Set(kinds).count == kinds.count)
        for (code, entries) in Dictionary(grouping: ErrorReference.entries, by: \.code) {
            #expect(Set(entries.map(\.section)).count == 1, "\(code)")
        }
        #expect(Set(ErrorReference.entries.map(\.section)) == Set(ErrorReference.Section.allCases))
    }

    @Test(arguments: MessageError.allCases)
    func `a message that is refused has one status, for the connection and for the client`(
        error: MessageError
    ) {
        #expect(ErrorResponse(error).status == error.status)
    }

    @Test func `the label of the metrics is the word of the row`() {
        for end in FetchEnd.allCases { #expect(FetchResultLabel(end).value == end.rawValue) }
        #expect(FetchResultLabel.count == FetchEnd.allCases.count + 2)
    }
}
