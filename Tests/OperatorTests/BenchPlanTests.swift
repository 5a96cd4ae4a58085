// SPDX-License-Identifier: Apache-2.0

import Operator
import Testing

@Suite("A measurement's plan and its URL")
struct BenchPlanTests {
    @Test func `requests of a rate begin at fixed times, however late it is`() throws {
        var plan = try BenchPlan(count: 3, connections: 1, duration: nil, rate: 4)
        #expect(plan.next(0) == 0)
        plan.begin()
        #expect(plan.next(900_000) == 250_000)
        plan.begin()
        #expect(plan.next(900_000) == 500_000)
        plan.begin()
        #expect(plan.next(900_000) == nil)
    }

    @Test func `without a rate the next one begins now, until the time or the count is over`() throws {
        var plan = try BenchPlan(count: nil, connections: 1, duration: 2, rate: nil)
        for _ in 1...5_000 { plan.begin() }
        #expect(plan.next(1_999_999) == 1_999_999 && plan.next(2_000_000) == nil)
        var counted = try BenchPlan(count: nil, connections: 1, duration: nil, rate: nil)
        for _ in 1...1_000 {
            #expect(counted.next(7) == 7)
            counted.begin()
        }
        #expect(counted.next(7) == nil)
    }

    @Test func `numbers out of their range are refused by name`() {
        for (count, connections, duration, rate, name) in [
            (0, 1, 1.0, 1.0, "--count"), (1, 0, 1, 1, "--connections"), (1, 1_001, 1, 1, "--connections"),
            (1, 1, 0, 1, "--duration"), (1, 1, 1, 0, "--rate"), (1, 1, .nan, 1, "--duration"),
        ] {
            let mistake = #expect(throws: BenchPlan.Mistake.self) {
                try BenchPlan(count: count, connections: connections, duration: duration, rate: rate)
            }
            #expect(mistake?.description.hasPrefix(name) ?? false)
        }
    }

    @Test func `a URL names a host, a port and a path`() throws {
        let plain = try BenchTarget("http://img.test/img?url=x#part")
        #expect(
            (plain.host, plain.port, plain.path, plain.authority) == (
                "img.test", 80, "/img?url=x", "img.test"
            ))
        let address = try BenchTarget("HTTP://[::1]:8080?a=b")
        #expect(
            (address.host, address.port, address.path, address.authority) == (
                "::1", 8080, "/?a=b", "[::1]:8080"
            ))
        for url in [
            "https://a/", "a/b", "http://", "http://u:p@a/", "http://a:0/", "http://a:70000/", "http://[::1/",
            "http://a/\r\nX: y", "http://a/ö", "http://[::1]x/",
        ] {
            #expect(throws: BenchTarget.Mistake.self, "\(url)") { try BenchTarget(url) }
        }
    }
}
