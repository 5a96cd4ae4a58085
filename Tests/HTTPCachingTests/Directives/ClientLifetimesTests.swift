// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

@Suite("Clients' lifetimes by host")
struct ClientLifetimesTests {
    private func policy(_ seconds: Int32) -> ClientPolicy {
        ClientPolicy(minimumLifetime: seconds, maximumLifetime: seconds)
    }

    @Test func `the exact host comes before the longest suffix, and that before the usual`() {
        let lifetimes = ClientLifetimes(
            usual: policy(1),
            rules: [
                .init(.suffix(".example.com"), policy(2)), .init(.suffix(".img.example.com"), policy(3)),
                .init(.exact("a.img.example.com"), policy(4)), .init(.exact("example.com"), policy(5)),
            ])
        let expected: [(String, Int32)] = [
            ("other.org", 1), ("www.example.com", 2), ("b.img.example.com", 3), ("img.example.com", 2),
            ("a.img.example.com", 4), ("example.com", 5), ("badexample.com", 1),
        ]
        for (host, seconds) in expected { #expect(lifetimes.policy(for: host) == policy(seconds), "\(host)") }
    }

    @Test func `of two rules for the same hosts the later counts`() {
        let lifetimes = ClientLifetimes(rules: [
            .init(.exact("a"), policy(1)), .init(.exact("a"), policy(2)),
            .init(.suffix(".b"), policy(3)), .init(.suffix(".b"), policy(4)),
        ])
        #expect(lifetimes.policy(for: "a") == policy(2))
        #expect(lifetimes.policy(for: "x.b") == policy(4))
    }

    @Test(
        arguments: [
            (.sample(), policyOf(0, 31_536_000), true), (.sample(), policyOf(0, 100), true),
            (.sample(), policyOf(0, 99), false), (.sample(age: 30), policyOf(0, 70), true),
            (.sample(), policyOf(1, 31_536_000), false),
            (.sample(client: 60), policyOf(0, 31_536_000), false),
        ] as [(Freshness, ClientPolicy, Bool)])
    func `a field that is called constant is the same at every moment of freshness`(
        freshness: Freshness, policy: ClientPolicy, isConstant: Bool
    ) {
        #expect(ClientDirectives.isConstant(freshness, policy: policy) == isConstant)
        let first = ClientDirectives(freshness, at: now, policy: policy).cacheControl
        let isSame = (0..<freshness.lifetime - freshness.initialAge).allSatisfy { second in
            ClientDirectives(freshness, at: now.adding(seconds: Int64(second)), policy: policy).cacheControl
                == first
        }
        #expect(isSame || !isConstant)
    }
}

private func policyOf(_ minimum: Int32, _ maximum: Int32) -> ClientPolicy {
    ClientPolicy(minimumLifetime: minimum, maximumLifetime: maximum)
}
