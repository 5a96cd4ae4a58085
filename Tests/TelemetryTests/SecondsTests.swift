// SPDX-License-Identifier: Apache-2.0

@testable import Telemetry
import Testing

@Suite("Durations are told in seconds, without a rounding error")
struct SecondsTests {

    @Test(arguments: [
        (0, "0"), (1, "0.000001"), (10, "0.00001"), (100, "0.0001"), (2_500, "0.0025"), (999_999, "0.999999"),
        (1_000_000, "1"), (1_000_001, "1.000001"), (1_500_000, "1.5"), (10_000_000, "10"),
        (10_000_010, "10.00001"),
        (86_400_000_000, "86400"), (9_223_372_036_854_775_807, "9223372036854.775807"),
    ])
    func `a fraction has no digit too many and none too few`(microseconds: Int, text: String) {
        #expect(Exposition.seconds(microseconds) == text)
    }

    @Test func `every number of microseconds is read back`() throws {
        var number = 1
        for _ in 0..<2_000 {
            // A step of the linear congruential generator of Numerical Recipes.
            number = (number &* 1_664_525 &+ 1_013_904_223) & 0xFF_FFFF_FFFF
            let parts = Exposition.seconds(number).split(separator: ".")
            let whole = try #require(Int(parts[0]))
            let digits =
                parts.count > 1 ? parts[1] + String(repeating: "0", count: 6 - parts[1].count) : "000000"
            #expect(whole * 1_000_000 + (Int(digits) ?? -1) == number)
            #expect(parts.count == 1 || parts[1].last != "0", "\(number)")
        }
    }
}
