// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

struct ClientDirectivesTests {
    private func directives(
        _ freshness: Freshness, after seconds: Int64 = 0, minimum: Int32 = 0, maximum: Int32 = 31_536_000
    ) -> ClientDirectives {
        var policy = ClientPolicy()
        policy.minimumLifetime = minimum
        policy.maximumLifetime = maximum
        return ClientDirectives(freshness, at: now.adding(seconds: seconds), policy: policy)
    }

    @Test func `max-age stays and Age grows`() {
        for (after, age) in [(0, 30), (10, 40), (69, 99), (500, 530)] {
            let directives = directives(.sample(age: 30), after: Int64(after))
            #expect(directives.cacheControl.text == "public, max-age=100")
            #expect(directives.age == age)
        }
    }

    @Test(
        arguments: [
            (.sample(), "public, max-age=100"), (.sample(lifetime: 0), "public, max-age=0"),
            (.sample(whileRevalidate: 30), "public, max-age=100, stale-while-revalidate=30"),
            (.sample(whileRevalidate: 30, flags: .mustRevalidate), "public, max-age=100, must-revalidate"),
            (.sample(ifError: 30, flags: [.heuristic]), "public, max-age=100"),
            (.sample(flags: .immutable), "public, max-age=100, immutable"),
            (.sample(client: 60, flags: .immutable), "public, max-age=60, immutable"),
            (.sample(lifetime: .max, flags: .immutable), "public, max-age=31536000"),
            (.sample(lifetime: 0, flags: .immutable), "public, max-age=0"),
            (.sample(flags: [.immutable, .alwaysValidate]), "public, no-cache"),
            (.sample(flags: .alwaysValidate), "public, no-cache"),
            (.sample(flags: .clientsMayNotStore), "no-store"),
            (.sample(flags: [.clientsMayNotStore, .alwaysValidate]), "no-store"),
            (.sample(flags: .privateToClients), "private, max-age=100"),
            (.sample(flags: [.privateToClients, .alwaysValidate]), "private, no-cache"),
            (.sample(client: 60), "public, max-age=60"),
            (
                .sample(lifetime: .max, whileRevalidate: .max),
                "public, max-age=31536000, stale-while-revalidate=2147483647"
            ),
        ] as [(Freshness, String)])
    func `Cache-Control says what the original's says`(freshness: Freshness, text: String) {
        #expect(directives(freshness).cacheControl.text == text)
    }

    @Test(
        arguments: [
            (.sample(), 0, 1000, "public, max-age=100, must-revalidate"),
            (.sample(), 0, 60, "public, max-age=60, must-revalidate"),
            (.sample(), 40, 60, "public, max-age=60, must-revalidate"),
            (.sample(age: 30), 0, 20, "public, max-age=50, must-revalidate"),
            (.sample(whileRevalidate: 30), 0, 5000, "public, max-age=100, must-revalidate"),
            (.sample(lifetime: 9000), 10, 9, "public, max-age=9, must-revalidate"),
            (.sample(flags: .alwaysValidate), 0, 60, "public, no-cache"),
            (.sample(flags: .clientsMayNotStore), 0, 60, "no-store"),
        ] as [(Freshness, Int64, Int64, String)])
    func `nobody is told to keep an answer beyond its end`(
        freshness: Freshness, after: Int64, end: Int64, text: String
    ) {
        for minimum in [0, 3600] as [Int32] where minimum == 0 || end < 100 {
            var policy = ClientPolicy(minimumLifetime: minimum, maximumLifetime: 31_536_000)
            policy.end = now.adding(seconds: end)
            let directives = ClientDirectives(freshness, at: now.adding(seconds: after), policy: policy)
            #expect(directives.cacheControl.text == text)
            #expect(!ClientDirectives.isConstant(freshness, policy: policy))
        }
    }

    @Test func `nobody is told to keep what comes from a future that the clock was set back from`() {
        for freshness in [Freshness.sample(age: 30), .sample(age: 30, client: 60)] {
            let directives = directives(freshness, after: -3_600)
            #expect(directives.cacheControl.text == "public, max-age=30" && directives.age == 30)
        }
    }

    @Test(
        arguments: [
            ("max-age=0, must-revalidate", 3600, "public, max-age=0, must-revalidate"),
            ("max-age=60", 3600, "public, max-age=60"),
            ("max-age=60, stale-while-revalidate=9", 3600, "public, max-age=60"),
            ("max-age=60, stale-while-revalidate=90", 30, "public, max-age=60, stale-while-revalidate=30"),
            ("max-age=60, s-maxage=60", 3600, "public, max-age=60, must-revalidate"),
            ("max-age=60, proxy-revalidate", 3600, "public, max-age=60, must-revalidate"),
            ("no-cache", 3600, "public, no-cache"), ("private, no-cache", 3600, "private, no-cache"),
        ] as [(String, Int32, String)])
    func `what CDN-Cache-Control grants to CDNs is told to nobody else`(
        control: String, whileRevalidate: Int32, text: String
    ) throws {
        let freshness = try CachePolicy.plain.freshness([
            "CDN-Cache-Control: max-age=600, stale-while-revalidate=\(whileRevalidate)",
            "Cache-Control: \(control)",
        ])
        #expect(freshness.isFresh(after: 599) && freshness.staleWhileRevalidate == whileRevalidate)
        #expect(!freshness.flags.contains(.mustRevalidate))
        #expect(directives(freshness).cacheControl.text == text)
    }

    @Test func `the operator's stale-while-revalidate is for all, and no bound lets no-cache last`() throws {
        var policy = CachePolicy.plain
        policy.defaultStaleWhileRevalidate = 5
        let silent = try policy.freshness(["CDN-Cache-Control: max-age=600", "Cache-Control: max-age=60"])
        #expect(directives(silent).cacheControl.text == "public, max-age=60, stale-while-revalidate=5")
        let strict = try policy.freshness(["CDN-Cache-Control: max-age=600", "Cache-Control: no-cache"])
        #expect(directives(strict, minimum: 3600).cacheControl.text == "public, no-cache")
    }

    @Test func `immutable goes with the origin's own lifetime and with no other`() {
        let freshness = Freshness.sample(flags: .immutable)
        for (minimum, maximum, isImmutable) in [(0, 1000, true), (0, 50, false), (500, 1000, false)]
            as [(Int32, Int32, Bool)]
        {
            let text = directives(freshness, minimum: minimum, maximum: maximum).cacheControl.text
            #expect(text.hasSuffix(", immutable") == isImmutable)
        }
    }

    /// A client's remaining lifetime is `max-age` − `Age`.
    @Test(
        arguments: [
            (.sample(lifetime: 100), 0, 0, 1000, 100), (.sample(lifetime: 100), 40, 0, 1000, 60),
            (.sample(lifetime: 100), 40, 0, 50, 50),
            (.sample(lifetime: 100), 80, 0, 50, 20), (.sample(lifetime: 100), 80, 30, 50, 30),
            (.sample(lifetime: 100), 150, 30, 50, 30),
            (.sample(lifetime: 100), 150, 0, 50, -50), (.sample(age: 500, lifetime: 600), 0, 0, 50, 50),
            (.sample(lifetime: 1000, client: 60), 500, 0, 5000, 60),
            (.sample(lifetime: 1000, client: 60), 970, 0, 5000, 30),
            (.sample(lifetime: 1000, client: 0), 500, 0, 5000, 0),
            (.sample(lifetime: 1000, client: 0), 500, 10, 5000, 10),
        ] as [(Freshness, Int64, Int32, Int32, Int)])
    func `what is left stays within the bounds`(
        freshness: Freshness, after: Int64, minimum: Int32, maximum: Int32, left: Int
    ) {
        let directives = directives(freshness, after: after, minimum: minimum, maximum: maximum)
        guard case .keep(let maxAge, _, _, _, _) = directives.cacheControl else {
            Issue.record("not kept")
            return
        }
        #expect(maxAge - directives.age == left)
    }

    @Test func `the longest Cache-Control fits its capacity`() {
        let longest = ClientDirectives.CacheControl.keep(
            maxAge: .max, staleWhileRevalidate: .max, mustRevalidate: true, isPrivate: true,
            isImmutable: true)
        #expect(longest.text.hasSuffix(", must-revalidate, immutable"))
    }

    @Test func `a refusal is kept as long as it is remembered`() {
        #expect(ClientDirectives.CacheControl.refusal(seconds: 60).text == "public, max-age=60")
        #expect(ClientDirectives.CacheControl.refusal(seconds: 0).text == "no-store")
    }
}
