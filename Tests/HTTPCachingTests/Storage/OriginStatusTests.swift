// SPDX-License-Identifier: Apache-2.0

@testable import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Each status means to a cache what the RFC says that defines it")
struct OriginStatusTests {
    private func codes(_ isSo: (OriginStatus) -> Bool) -> [Int] {
        (0...1_000).filter { isSo(OriginStatus($0)) }
    }

    @Test func `a picture comes with 200, or with 203 from a proxy`() {
        #expect(codes(\.isOriginal) == [200, 203])
    }

    /// RFC 9110 §15.1 lists the first twelve; RFC 7725 §3 adds 451.
    @Test func `thirteen statuses may be kept without a word about it`() {
        #expect(
            codes(\.isHeuristicallyCacheable) == [
                200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 451, 501,
            ])
    }

    /// The sections of RFC 9110 §15.3 to §15.6, of RFC 6585 and of RFC 7725.
    @Test func `a cache understands the final statuses that have a section, but for parts and 304`() {
        let success = [200, 201, 202, 203, 204, 205]
        let elsewhere = [300, 301, 302, 303, 305, 307, 308]
        let client = Array(400...417) + [421, 422, 426] + [428, 429, 431] + [451]
        let server = [500, 501, 502, 503, 504, 505] + [511]
        #expect(codes(\.isUnderstood) == success + elsewhere + client + server)
    }

    /// RFC 5861 §4 names 500, 502, 503 and 504.
    @Test func `a failure passes if it is a server's, or one of time`() {
        #expect(codes(\.isPassingFailure) == [408, 425, 429] + Array(500...599))
    }

    @Test func `every other failure of a client is the last word`() {
        #expect(codes(\.isRefusal) == (400...499).filter { ![408, 425, 429].contains($0) })
        #expect(codes { $0.isRefusal && $0.isPassingFailure } == [])
        #expect(codes { $0.isOriginal && ($0.isRefusal || $0.isPassingFailure) } == [])
    }

    // MARK: What follows from it

    @Test(arguments: [304, 306, 206, 418, 425, 430, 506, 599, 199, 600])
    func `what is not understood is not kept where it must be`(status: Int) {
        let response = fields(["Cache-Control: must-understand, max-age=60"])
        #expect(remembered(status, response) == .known(seconds: 0))
        #expect(remembered(status, fields(["Cache-Control: max-age=60"])) == .known(seconds: 60))
    }

    @Test(arguments: [201, 205, 300, 303, 305, 307, 308, 400, 417, 421, 429, 431, 451, 500, 505, 511])
    func `what is understood is kept, even where others must not`(status: Int) {
        let response = fields(["Cache-Control: must-understand, no-store, max-age=60"])
        #expect(remembered(status, response) == .known(seconds: 60))
        #expect(
            remembered(status, fields(["Cache-Control: no-store, max-age=60"])) == .known(seconds: 0))
    }

    private func remembered(_ status: Int, _ fields: Fields) -> NegativePolicy.Verdict {
        NegativePolicy().verdict(onStatus: status, fields: fields, by: Transit(at: now))
    }
}
