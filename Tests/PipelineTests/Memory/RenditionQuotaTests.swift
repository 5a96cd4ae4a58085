// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
@testable import Pipeline
import Recipes
import Testing

@Suite("An original's quota is of different renditions in any hour")
struct RenditionQuotaTests {
    private static let second: Int64 = 1_000_000

    private static func original(_ number: Int) -> OriginalDigest {
        OriginalDigest(testDigest("original \(number)".utf8))
    }

    private static func rendition(_ number: Int) -> RenditionKey {
        RenditionKey(testDigest("rendition \(number)".utf8))
    }

    private static func charge(
        _ quota: inout RenditionQuota, _ rendition: Int, of original: Int = 0, by client: UInt32 = 0,
        at seconds: Int
    ) -> RenditionQuota.Verdict {
        quota.charge(
            Self.rendition(rendition), to: Self.original(original), by: ClientKey(.v4(client), prefix: 64),
            now: Int64(seconds) * second)
    }

    /// How many of `count` renditions a client is granted.
    private static func granted(
        _ quota: inout RenditionQuota, _ count: Int, by client: UInt32, at second: Int = 0
    ) -> Int {
        (0..<count).count { number in
            charge(&quota, Int(client) * 100_000 + number, by: client, at: second) == .granted
        }
    }

    @Test func `one client has three quarters of it, and others find the rest`() {
        var quota = RenditionQuota(limit: 200)
        #expect(Self.granted(&quota, 1000, by: 1) == 150)
        #expect(Self.granted(&quota, 1000, by: 2) == 50)
    }

    @Test func `when it is spent, whoever has had few is given some more, and all together twice as much`() {
        var quota = RenditionQuota(limit: 200)
        for client in 1...2 { _ = Self.granted(&quota, 1000, by: UInt32(client)) }
        for client in 3...22 { #expect(Self.granted(&quota, 15, by: UInt32(client)) == 10) }
        #expect(quota.made(of: Self.original(0), now: 0) == 400)
        #expect(Self.granted(&quota, 15, by: 23) == 0)
        // A rendition that others had made is granted without counting again.
        #expect(Self.charge(&quota, 100_000, by: 23, at: 0) == .granted)
        #expect(Self.granted(&quota, 1000, by: 23, at: 3_600) == 150)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 20, 200, 5_000])
    func `however small it is, one has some of it and leaves some to the next`(limit: Int) {
        var quota = RenditionQuota(limit: limit)
        #expect(Self.granted(&quota, 2 * limit, by: 1) == (3 * limit + 3) / 4)
        #expect(Self.granted(&quota, 1, by: 2) == 1)
    }

    @Test func `a client's own are waited for by the client, and the picture's by all`() {
        var quota = RenditionQuota(limit: 4)
        for number in 0..<3 { #expect(Self.charge(&quota, number, by: 1, at: number * 10) == .granted) }
        #expect(Self.charge(&quota, 3, by: 1, at: 100) == .refused(retryAfter: 3_500, isNews: true))
        #expect(Self.charge(&quota, 4, by: 2, at: 100) == .granted)
        #expect(Self.charge(&quota, 5, by: 2, at: 200) == .refused(retryAfter: 3_400, isNews: false))
        #expect(quota.mayRefuse(ClientKey(.v4(2), prefix: 64), of: Self.original(0), now: 200 * Self.second))
        #expect(
            !quota.mayRefuse(ClientKey(.v4(3), prefix: 64), of: Self.original(0), now: 200 * Self.second))
    }

    @Test func `beyond it, the next one is refused until the oldest is an hour old`() {
        var quota = RenditionQuota(limit: 3)
        for number in 0..<3 { #expect(Self.charge(&quota, number, at: number * 10) == .granted) }
        #expect(Self.charge(&quota, 3, at: 30) == .refused(retryAfter: 3_570, isNews: true))
        #expect(Self.charge(&quota, 3, at: 3_599) == .refused(retryAfter: 1, isNews: false))
        #expect(Self.charge(&quota, 3, at: 3_600) == .granted)
        #expect(Self.charge(&quota, 4, at: 3_609) == .refused(retryAfter: 1, isNews: false))
        #expect(Self.charge(&quota, 4, at: 3_610) == .granted)
    }

    @Test func `one that was counted is not counted again, nor ever refused in its hour`() {
        var quota = RenditionQuota(limit: 2)
        for second in 0..<10 { #expect(Self.charge(&quota, 0, at: second) == .granted) }
        #expect(Self.charge(&quota, 1, at: 10) == .granted)
        #expect(Self.charge(&quota, 2, at: 11) == .refused(retryAfter: 3_589, isNews: true))
        #expect(Self.charge(&quota, 0, at: 3_599) == .granted)
        #expect(quota.made(of: Self.original(0), now: 11 * Self.second) == 2)
    }

    @Test func `each original has its own`() {
        var quota = RenditionQuota(limit: 1)
        #expect(Self.charge(&quota, 0, of: 1, at: 0) == .granted)
        #expect(Self.charge(&quota, 1, of: 1, at: 0) != .granted)
        #expect(Self.charge(&quota, 1, of: 2, at: 0) == .granted)
    }

    @Test func `a refusal is news once an hour`() {
        var quota = RenditionQuota(limit: 1)
        var news: [Int] = []
        for minute in 0..<180 {
            let verdict = Self.charge(&quota, minute, at: minute * 60)
            if case .refused(_, isNews: true) = verdict { news.append(minute) }
        }
        #expect(news == [1, 61, 121])
    }

    @Test func `what came to no decoder does not count`() {
        var quota = RenditionQuota(limit: 1)
        for number in 0..<5 {
            #expect(Self.charge(&quota, number, at: 0) == .granted)
            quota.withdraw(Self.rendition(number), from: Self.original(0))
            quota.withdraw(Self.rendition(99), from: Self.original(0))
            quota.withdraw(Self.rendition(number), from: Self.original(1))
        }
        #expect(quota.made(of: Self.original(0), now: 0) == 0)
    }

    @Test func `one that comes to a decoder for one client counts, whoever else is refused it`() {
        var quota = RenditionQuota(limit: 1)
        for client in 1...3 as ClosedRange<UInt32> {
            #expect(Self.charge(&quota, 0, by: client, at: 0) == .granted)
        }
        for _ in 1...2 {
            quota.withdraw(Self.rendition(0), from: Self.original(0))
            #expect(quota.made(of: Self.original(0), now: 0) == 1)
        }
        quota.withdraw(Self.rendition(0), from: Self.original(0))
        #expect(quota.made(of: Self.original(0), now: 0) == 0)
    }

    @Test func `nothing is refused where nothing is limited`() {
        var quota = RenditionQuota(limit: 0)
        for number in 0..<1_000 { #expect(Self.charge(&quota, number, at: 0) == .granted) }
        #expect(quota.made(of: Self.original(0), now: 0) == 0)
    }

    @Test func `looking says what asking would, and changes nothing`() {
        var quota = RenditionQuota(limit: 1)
        func refuses(_ number: Int, at second: Int64) -> Bool {
            quota.wait(
                for: Self.rendition(number), of: Self.original(0), by: ClientKey(.v4(0), prefix: 64),
                now: second * Self.second) != nil
        }
        #expect(!refuses(0, at: 0))
        #expect(Self.charge(&quota, 0, at: 0) == .granted)
        #expect(!refuses(0, at: 1))
        #expect(refuses(1, at: 3_599))
        #expect(!refuses(1, at: 3_600))
    }

    @Test func `the table holds so many originals, those asked for last`() {
        var quota = RenditionQuota(limit: 1, originals: 80)
        for number in 0..<1_000 {
            #expect(Self.charge(&quota, number, of: number, at: number) == .granted)
            // The original that is being scanned is never forgotten.
            let scan = Self.charge(&quota, 100_000 + number, of: 5_000, at: number)
            #expect((scan == .granted) == (number == 0))
        }
        let known = (0..<1_000).filter {
            quota.made(of: Self.original($0), now: 1_000 * Self.second) > 0
        }
        #expect((60...80).contains(known.count))
        #expect(known == Array((1_000 - known.count)..<1_000))
    }

    @Test func `and so many renditions, of however few originals`() {
        var quota = RenditionQuota(limit: 100, renditions: 1_000)
        for original in 0..<50 {
            for number in 0..<100 {
                #expect(
                    Self.charge(&quota, number, of: original, by: UInt32(number % 2), at: original)
                        == .granted)
            }
        }
        let held = (0..<50).reduce(0) { $0 + quota.made(of: Self.original($1), now: 50 * Self.second) }
        #expect((800...1_100).contains(held))
    }
}
