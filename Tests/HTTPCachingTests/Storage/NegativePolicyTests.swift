// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

struct NegativePolicyTests {
    private let policy = NegativePolicy()

    private func verdict(_ status: Int, _ lines: [String]) -> NegativePolicy.Verdict {
        policy.verdict(onStatus: status, fields: fields(lines), by: Transit(at: now))
    }

    @Test(
        arguments: [(.nameNotResolved, 30), (.unreachable, 5), (.notAnImage, 60)]
            as [(NegativePolicy.Failure, Int)])
    func `what failed without an answer is known for its class's time`(
        failure: NegativePolicy.Failure, seconds: Int
    ) {
        #expect(policy.verdict(on: failure) == .known(seconds: seconds))
    }

    /// RFC 9110 §15.1, RFC 7725 §3.
    @Test(
        arguments: [
            (204, 5), (206, 5), (300, 5), (301, 5), (308, 5), (404, 60), (405, 10), (410, 60), (414, 10),
            (451, 10),
            (501, 5),
        ])
    func `a status that is cacheable by default is kept for its class's time`(status: Int, seconds: Int) {
        #expect(verdict(status, []) == .known(seconds: seconds))
        #expect(verdict(status, ["Last-Modified: \(date(-86_400))"]) == .known(seconds: seconds))
    }

    @Test(
        arguments: [
            (201, 5), (202, 5), (302, 5), (303, 5), (307, 5), (400, 10), (401, 10), (403, 10), (429, 10),
            (499, 10),
            (500, 5), (502, 5), (503, 5), (504, 5), (599, 5),
        ])
    func `any other that does not say for how long is only suspected`(status: Int, seconds: Int) {
        #expect(verdict(status, []) == .suspected(seconds: seconds))
        #expect(verdict(status, ["Last-Modified: \(date(-86_400))"]) == .suspected(seconds: seconds))
        #expect(verdict(status, ["Cache-Control: public"]) == .known(seconds: seconds))
    }

    @Test(
        arguments: [
            (404, ["Cache-Control: max-age=2"], 2), (404, ["Cache-Control: max-age=0"], 0),
            (404, ["Cache-Control: max-age=120"], 120), (404, ["Cache-Control: max-age=9999"], 300),
            (404, ["Cache-Control: max-age=x"], 0), (404, ["Cache-Control: s-maxage=7, max-age=2"], 7),
            (404, ["CDN-Cache-Control: max-age=9", "Cache-Control: no-store"], 9),
            (404, ["Expires: \(date(30))"], 30), (404, ["Expires: 0"], 0),
            (404, ["Expires: \(date(-5000))"], 0),
            (404, ["Cache-Control: no-store"], 0), (404, ["Cache-Control: no-cache"], 0),
            (404, ["Cache-Control: private, max-age=60"], 0), (404, ["Pragma: no-cache"], 0),
            (404, ["Vary: *", "Cache-Control: max-age=60"], 0),
            (404, ["Cache-Control: max-age=100", "Age: 70"], 30),
            (404, ["Cache-Control: max-age=100", "Age: 700"], 0),
            (302, ["Cache-Control: max-age=60"], 60), (302, ["Expires: \(date(-5000))"], 0),
            (503, ["Cache-Control: max-age=60"], 60), (599, ["Cache-Control: max-age=60"], 60),
            (599, ["Cache-Control: max-age=60, must-understand"], 0),
            (599, ["Cache-Control: max-age=60, no-store, must-understand"], 0),
            (404, ["Cache-Control: max-age=60, no-store, must-understand"], 60),
        ] as [(Int, [String], Int)])
    func `an origin may say itself how long its error holds`(status: Int, lines: [String], seconds: Int) {
        #expect(verdict(status, lines) == .known(seconds: seconds))
    }

    @Test(
        arguments: [
            (503, ["Retry-After: 120"], .known(seconds: 120)),
            (503, ["Retry-After: 0"], .suspected(seconds: 5)),
            (503, ["Retry-After: 99999"], .known(seconds: 300)),
            (503, ["Retry-After: \(date(90))"], .known(seconds: 90)),
            (503, ["Retry-After: x"], .suspected(seconds: 5)), (429, ["Retry-After: 1"], .known(seconds: 1)),
            (404, ["Retry-After: 1"], .known(seconds: 60)), (404, ["Retry-After: 90"], .known(seconds: 90)),
            (503, ["Retry-After: 120", "Cache-Control: no-store"], .known(seconds: 120)),
            (503, ["Retry-After: 20", "Cache-Control: max-age=60"], .known(seconds: 60)),
        ] as [(Int, [String], NegativePolicy.Verdict)])
    func `an origin that asks for a pause gets it`(
        status: Int, lines: [String], expected: NegativePolicy.Verdict
    ) {
        #expect(verdict(status, lines) == expected)
    }

    @Test(
        arguments: [
            ([], 60), (["Cache-Control: max-age=9"], 9), (["Cache-Control: max-age=9999"], 60),
            (["Cache-Control: no-cache"], 0), (["Expires: 0"], 0), (["Last-Modified: \(date(-1000))"], 60),
        ] as [([String], Int)])
    func `content that is no picture is so while it is fresh, and asked about soon`(
        lines: [String], seconds: Int
    ) {
        let verdict = policy.verdict(
            onContentWith: fields(lines), by: Transit(at: now))
        #expect(verdict == .known(seconds: seconds))
    }

    @Test(
        arguments: [
            ([], nil), (["Cache-Control: max-age=9"], 9), (["Cache-Control: s-maxage=90, max-age=9"], 9),
            (["Cache-Control: s-maxage=90"], nil), (["Expires: \(date(9))"], 9),
            (["CDN-Cache-Control: max-age=90"], nil),
            (["CDN-Cache-Control: max-age=90", "Cache-Control: private, max-age=9"], 0),
            // With `Retry-After` these are remembered nevertheless, so clients need the limit 0.
            (["Cache-Control: no-store"], 0), (["Cache-Control: no-cache"], 0), (["Pragma: no-cache"], 0),
            (["Cache-Control: private, max-age=9"], 0),
            (["Cache-Control: no-store, must-understand, max-age=9"], 9),
        ] as [([String], Int?)])
    func `clients may keep a failure for as long as they are told, be it here or of a redirect`(
        lines: [String], seconds: Int?
    ) {
        func limit(_ lines: [String], behind hops: [RedirectHop]) -> Int? {
            NegativePolicy.clientLimit(
                of: fields(lines), by: Transit(at: now, redirects: hops))
        }
        #expect(limit(lines, behind: []) == seconds)
        #expect(limit([], behind: [hop([]), hop(lines)]) == seconds)
        #expect(limit(lines, behind: [hop(["Cache-Control: max-age=5"])]) == min(seconds ?? 5, 5))
    }

    // MARK: Behind redirects

    private func hop(_ lines: [String], status: Int = 302) -> RedirectHop {
        RedirectHop(status: status, fields: fields(lines))
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=20"], .known(seconds: 20)),
            (["Cache-Control: max-age=200"], .known(seconds: 60)),
            (["Expires: \(date(9))"], .known(seconds: 9)),
            (["Cache-Control: max-age=50", "Age: 20"], .known(seconds: 30)),
            (["Cache-Control: no-store"], .known(seconds: 0)),
            (["Cache-Control: private"], .known(seconds: 0)),
            (["Cache-Control: no-cache, max-age=9"], .known(seconds: 0)), (["Vary: *"], .known(seconds: 0)),
            // Such a redirect may not be kept, so the failure behind it is only suspected.
            ([], .suspected(seconds: 60)), (["Cache-Control: public"], .known(seconds: 60)),
        ] as [([String], NegativePolicy.Verdict)])
    func `what a redirect led to is known for as long as the redirect holds`(
        lines: [String], expected: NegativePolicy.Verdict
    ) {
        func verdict(_ hops: [RedirectHop]) -> NegativePolicy.Verdict {
            policy.verdict(
                onStatus: 404, fields: Fields(), by: Transit(at: now, redirects: hops))
        }
        #expect(verdict([hop(lines)]) == expected)
        let lasting = hop([], status: 301)
        #expect(verdict([lasting, hop(lines), lasting]) == expected)
        let unkept = hop(["Cache-Control: no-store"])
        #expect([.known(seconds: 0), .suspected(seconds: 0)].contains(verdict([unkept, hop(lines)])))
        let content = policy.verdict(
            onContentWith: Fields(), by: Transit(at: now, redirects: [hop(lines)]))
        #expect(content == expected)
    }

    @Test func `so are a pause and a failure without an answer, which reuse none`() {
        func pause(_ lines: [String]) -> NegativePolicy.Verdict {
            policy.verdict(
                onStatus: 503, fields: fields(["Retry-After: 120"]),
                by: Transit(at: now, redirects: [hop(lines)]))
        }
        func silence(_ lines: [String]) -> NegativePolicy.Verdict {
            policy.verdict(known: 30, behind: Transit(at: now, redirects: [hop(lines)]))
        }
        #expect(pause([]) == .known(seconds: 120) && silence([]) == .known(seconds: 30))
        let short = ["Cache-Control: max-age=7"]
        #expect(pause(short) == .known(seconds: 7) && silence(short) == .known(seconds: 7))
        #expect(silence(["Cache-Control: no-store"]) == .nothing)
        #expect(pause(["Cache-Control: no-store"]) == .suspected(seconds: 0))
    }

    // MARK: For Authorization

    @Test(
        arguments: [
            (404, [], .nothing), (404, ["Cache-Control: max-age=30"], .nothing), (403, [], .nothing),
            (404, ["Cache-Control: public, max-age=30"], .known(seconds: 30)),
            (404, ["Cache-Control: s-maxage=30"], .known(seconds: 30)),
            (404, ["Cache-Control: public"], .known(seconds: 60)),
            (503, ["Cache-Control: max-age=30"], .suspected(seconds: 5)), (501, [], .suspected(seconds: 5)),
            (429, ["Retry-After: 30"], .known(seconds: 30)),
        ] as [(Int, [String], NegativePolicy.Verdict)])
    func `what an Authorization got is not reused, unless its origin allows it`(
        status: Int, lines: [String], expected: NegativePolicy.Verdict
    ) {
        let verdict = policy.verdict(
            onStatus: status, fields: fields(lines), by: Transit(at: now, isAuthorized: true))
        #expect(verdict == expected)
    }

    @Test func `nor is content, and a redirect has to allow it as well`() {
        let open = fields(["Cache-Control: public, max-age=30"])
        func verdicts(_ fields: Fields, _ hops: [RedirectHop]) -> [NegativePolicy.Verdict] {
            [
                policy.verdict(
                    onContentWith: fields, by: Transit(at: now, redirects: hops, isAuthorized: true)),
                policy.verdict(
                    onStatus: 404, fields: fields, by: Transit(at: now, redirects: hops, isAuthorized: true)),
            ]
        }
        #expect(verdicts(Fields(), []) == [.nothing, .nothing])
        #expect(verdicts(open, []) == [.known(seconds: 30), .known(seconds: 30)])
        #expect(verdicts(open, [hop(["Cache-Control: max-age=30"])]) == [.nothing, .nothing])
        let public20 = hop(["Cache-Control: public, max-age=20"])
        #expect(verdicts(open, [public20]) == [.known(seconds: 20), .known(seconds: 20)])
    }
}
