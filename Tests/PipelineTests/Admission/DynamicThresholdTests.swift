// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import RandomInputs
import Testing

@testable import Pipeline

/// `PermitShares` alone: how many permits one client and one site may hold. Times are microseconds.
struct DynamicThresholdTests {
    private static func account(_ client: UInt32, _ site: String) -> PermitAccount {
        PermitAccount(client: Asker(ClientKey(.v4(client), prefix: 64)), site: .domain(site))
    }

    @Test func `a client, or a site, may hold three times as many permits as are free`() {
        var shares = PermitShares(permits: 16)
        for number in 0..<6 { shares.take(Self.account(1, "site\(number)")) }
        #expect(shares.held(by: Self.account(1, "any").client) == 6)
        #expect(shares.admits(Self.account(1, "new"), "g", running: 0, free: 3, now: 0))
        for number in 6..<9 { shares.take(Self.account(1, "site\(number)")) }
        #expect(!shares.admits(Self.account(1, "new"), "g", running: 0, free: 3, now: 0))
        #expect(shares.admits(Self.account(2, "new"), "g", running: 0, free: 3, now: 0))
        for number in 10..<19 { shares.take(Self.account(UInt32(number), "one")) }
        #expect(!shares.admits(Self.account(2, "one"), "g", running: 0, free: 3, now: 0))
    }

    @Test func `the last eighth is for groups that have answered well and in time`() {
        var shares = PermitShares(permits: 16)
        let account = Self.account(1, "a")
        #expect(!shares.admits(account, "g", running: 0, free: 2, now: 0))
        shares.take(account)
        shares.giveBack(account, "g", isGood: true, run: 2_000_000, now: 0)
        #expect(shares.admits(account, "g", running: 1, free: 2, now: 0))
        #expect(!shares.admits(account, "g", running: 2, free: 2, now: 0))
        #expect(!shares.admits(account, "other", running: 0, free: 2, now: 0))
        #expect(shares.admits(account, "g", running: 0, free: 2, now: 599_999_999))
        #expect(!shares.admits(account, "g", running: 0, free: 2, now: 600_000_000))
    }

    @Test func `a bad or slow answer loses the good name, and an unknown one leaves it`() {
        for (isGood, run, keeps) in [(false, 0, false), (true, 2_000_001, false), (nil, 9_000_000, true)]
            as [(Bool?, Int64, Bool)]
        {
            var shares = PermitShares(permits: 16)
            let account = Self.account(1, "a")
            shares.giveBack(account, "g", isGood: true, run: 1, now: 0)
            shares.giveBack(account, "g", isGood: isGood, run: run, now: 0)
            #expect(shares.admits(account, "g", running: 0, free: 1, now: 0) == keeps)
        }
    }

    @Test func `of too many good names the oldest are forgotten`() {
        var shares = PermitShares(permits: 16)
        let account = Self.account(1, "a")
        for number in 0..<1025 {
            shares.giveBack(account, "\(number)", isGood: true, run: 1, now: Int64(number))
        }
        #expect(!shares.admits(account, "0", running: 0, free: 1, now: 2000))
        #expect(shares.admits(account, "1024", running: 0, free: 1, now: 2000))
        #expect(shares.admits(account, "1000", running: 0, free: 1, now: 2000))
    }

    @Test(arguments: [1, Int.max / 2, Int.max])
    func `any number of permits is a number`(permits: Int) {
        let shares = PermitShares(permits: permits)
        #expect(shares.admits(Self.account(1, "a"), "g", running: 0, free: permits, now: 0))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `its verdict is that of a list of askers`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let permits = Int.random(in: 1...64, using: &random)
        var shares = PermitShares(permits: permits)
        var held: [PermitAccount] = []
        for now in 0..<1000 as Range<Int64> {
            let site = ["a", "b", "c"].randomElement(using: &random) ?? "a"
            let account = Self.account(UInt32.random(in: 0..<5, using: &random), site)
            let (ofClient, ofSite) = (
                held.count { $0.client == account.client }, held.count { $0.site == account.site }
            )
            #expect(shares.held(by: account.client) == ofClient, "seed \(seed)")
            let free = permits - held.count
            let isAdmitted =
                free > 0 && free > permits / 8 && ofClient < 3 * free && ofSite < 3 * free
            if free > 0 {
                #expect(
                    shares.admits(account, "g", running: 0, free: free, now: now) == isAdmitted,
                    "seed \(seed)")
            }
            if isAdmitted, Int.random(in: 0..<4, using: &random) > 0 {
                shares.take(account)
                held.append(account)
            } else if let index = held.indices.randomElement(using: &random) {
                shares.giveBack(held.remove(at: index), "g", isGood: nil, run: 1, now: now)
            }
        }
    }
}
