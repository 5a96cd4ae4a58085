// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

@Suite("What came through redirects is good for as long as each of them")
struct RedirectHopTests {
    private func decision(
        _ final: [String], _ hops: [(Int, [String])], _ policy: CachePolicy
    ) -> StorageDecision {
        policy.assess(
            status: 200, fields: fields(final),
            by: Transit(at: now, redirects: hops.map { RedirectHop(status: $0.0, fields: fields($0.1)) }))
    }

    /// Seconds for which the original is fresh; nil if it is stale at once.
    private func fresh(
        _ final: [String], _ hops: [(Int, [String])], _ change: (inout CachePolicy) -> Void = { _ in }
    ) -> Int? {
        var policy = CachePolicy.plain
        policy.defaultLifetime = 1000
        change(&policy)
        guard case .store(let freshness) = decision(final, hops, policy),
            case .fresh(let left) = freshness.state(at: now)
        else { return nil }
        return left
    }

    private static let year = ["Cache-Control: max-age=31536000, immutable"]

    @Test(
        arguments: [
            ([(302, ["Cache-Control: max-age=60"])], 60),
            ([(302, ["Cache-Control: max-age=60", "Age: 50"])], 10),
            ([(302, ["Cache-Control: max-age=60"]), (302, ["Cache-Control: max-age=5"])], 5),
            ([(301, ["Cache-Control: max-age=60"])], 60), ([(301, [])], 31_536_000),
            ([(308, [])], 31_536_000),
            // Redirects without a lifetime of their own have the default lifetime.
            ([(302, [])], 1000), ([(303, [])], 1000), ([(307, [])], 1000),
            ([(302, ["Expires: 0"])], nil), ([(302, ["Cache-Control: max-age=0"])], nil),
            ([(302, ["Cache-Control: no-cache, max-age=60"])], nil), ([(302, ["Vary: *"])], nil),
            ([(302, ["CDN-Cache-Control: max-age=9", "Cache-Control: no-store"])], 9),
        ] as [([(Int, [String])], Int?)])
    func `the shortest counts`(hops: [(Int, [String])], seconds: Int?) {
        #expect(fresh(Self.year, hops) == seconds)
    }

    @Test func `the end of the way counts as well, and its age`() {
        #expect(fresh(["Cache-Control: max-age=7"], [(302, ["Cache-Control: max-age=60"])]) == 7)
        let old = ["Cache-Control: max-age=3600", "Age: 3000"]
        #expect(fresh(old, [(302, ["Cache-Control: max-age=60"])]) == 60)
        #expect(fresh(old, [(302, ["Cache-Control: max-age=900"])]) == 600)
    }

    @Test(arguments: [("no-store", StorageDecision.Reason.noStore), ("private", .isPrivate)])
    func `where one of them must not be kept, nothing is`(directive: String, reason: StorageDecision.Reason) {
        let hops = [(301, []), (302, ["Cache-Control: \(directive)"])]
        #expect(decision(Self.year, hops, .plain) == .doNotStore(reason))
    }

    @Test func `must-revalidate is inherited`() throws {
        let hops = [(302, ["Cache-Control: max-age=60, must-revalidate"])]
        guard case .store(let freshness) = decision(Self.year, hops, .plain) else {
            throw CachePolicy.NotStored()
        }
        #expect(freshness.flags.contains(.mustRevalidate))
        #expect(freshness.clientLifetime == 60)
    }

    @Test(
        arguments: [
            (["Cache-Control: s-maxage=3600, max-age=5"], 3600, 5, []),
            (["Cache-Control: s-maxage=3600"], 3600, 3600, []),
            (["Cache-Control: s-maxage=5, max-age=3600"], 5, 5, []),
            (["Cache-Control: max-age=60", "Age: 50"], 10, 10, []),
            (["CDN-Cache-Control: max-age=3600", "Cache-Control: max-age=5"], 3600, 5, []),
            (["CDN-Cache-Control: max-age=3600", "Cache-Control: no-cache"], 3600, 0, .clientsMustValidate),
        ] as [([String], Int32, Int32, Freshness.Flags)])
    func `browsers keep what it led to no longer than the redirect`(
        hop: [String], seconds: Int32, client: Int32, flags: Freshness.Flags
    ) throws {
        guard case .store(let freshness) = decision(Self.year, [(302, hop)], .plain) else {
            throw CachePolicy.NotStored()
        }
        #expect(freshness.lifetime == seconds && freshness.clientLifetime == client)
        #expect(freshness.flags.subtracting([.mustRevalidate, .varies]) == flags)
    }

    @Test(
        arguments: [
            // A redirect that grants no time past its lifetime ends what its target grants.
            ("max-age=3600, stale-while-revalidate=86400", "max-age=5", 5, 0, 0),
            ("max-age=3600, stale-while-revalidate=600, stale-if-error=700", "max-age=5", 5, 0, 0),
            (
                "max-age=3600, stale-while-revalidate=600",
                "max-age=5, stale-while-revalidate=60, stale-if-error=9", 5, 60, 9
            ),
            // The target stays fresh while its redirect may be followed stale.
            ("max-age=100", "max-age=5, stale-while-revalidate=60", 5, 60, 0),
            ("max-age=40, stale-if-error=10", "max-age=5, stale-if-error=60", 5, 0, 45),
            ("max-age=5", "max-age=100, stale-while-revalidate=60", 5, 0, 0),
            ("max-age=5, stale-while-revalidate=600", "max-age=100, stale-while-revalidate=60", 5, 155, 0),
        ] as [(String, String, Int32, Int32, Int32)])
    func `nothing is served stale for longer than both allow`(
        target: String, hop: String, lifetime: Int32, whileRevalidate: Int32, ifError: Int32
    ) throws {
        let hops = [(302, ["Cache-Control: \(hop)"])]
        guard case .store(let freshness) = decision(["Cache-Control: \(target)"], hops, .plain) else {
            throw CachePolicy.NotStored()
        }
        #expect(freshness.lifetime == lifetime)
        #expect(freshness.staleWhileRevalidate == whileRevalidate)
        #expect(freshness.staleIfError == ifError)
    }

    @Test func `a redirect without fields has the default times past its lifetime`() throws {
        var policy = CachePolicy.plain
        (policy.defaultLifetime, policy.defaultStaleIfError) = (1, 300)
        let target = ["Cache-Control: max-age=3600, stale-while-revalidate=86400"]
        for (status, lifetime, whileRevalidate) in [(302, 1, 0), (301, 3600, 86_400)] as [(Int, Int32, Int32)]
        {
            guard case .store(let freshness) = decision(target, [(status, [])], policy) else {
                throw CachePolicy.NotStored()
            }
            #expect(freshness.lifetime == lifetime && freshness.staleWhileRevalidate == whileRevalidate)
            #expect(freshness.staleIfError == 300)
        }
    }

    @Test func `clients are told no time past the lifetime that a redirect grants us alone`() throws {
        let hop = [
            "CDN-Cache-Control: max-age=5, stale-while-revalidate=60", "Cache-Control: max-age=5",
        ]
        let target = ["Cache-Control: max-age=3600, stale-while-revalidate=600"]
        guard case .store(let freshness) = decision(target, [(302, hop)], .plain) else {
            throw CachePolicy.NotStored()
        }
        #expect(freshness.staleWhileRevalidate == 60)
        let told = ClientDirectives(freshness, at: now, policy: ClientPolicy()).cacheControl.text
        #expect(told == "public, max-age=5")
    }

    @Test func `nor one in which the target is fresh for us alone`() throws {
        let target = ["CDN-Cache-Control: max-age=100", "Cache-Control: max-age=2"]
        let hop = ["Cache-Control: max-age=5, stale-while-revalidate=60"]
        guard case .store(let freshness) = decision(target, [(302, hop)], .plain) else {
            throw CachePolicy.NotStored()
        }
        #expect((freshness.lifetime, freshness.staleWhileRevalidate) == (5, 60))
        let told = ClientDirectives(freshness, at: now, policy: ClientPolicy()).cacheControl.text
        #expect(told == "public, max-age=2")
    }

    @Test func `what redirects led to is marked, since their rules may change`() throws {
        for (hops, isMarked) in [([], false), ([(301, [])], true)] as [([(Int, [String])], Bool)] {
            guard case .store(let freshness) = decision(Self.year, hops, .plain) else {
                throw CachePolicy.NotStored()
            }
            #expect(freshness.flags.contains(.varies) == isMarked)
        }
    }

    @Test func `the operator's bounds hold for redirects`() {
        #expect(fresh(Self.year, [(302, [])]) { $0.defaultLifetime = 0 } == nil)
        #expect(fresh(Self.year, [(302, ["Cache-Control: max-age=1"])]) { $0.minimumLifetime = 30 } == 30)
    }
}
