// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import Testing

@testable import Monitoring

struct TopOriginsTests {
    private func origin(_ name: String) -> SourceOrigin {
        SourceURL(scheme: .https, host: name, port: 443, target: "/").origin
    }

    @Test func `failures come first, then time`() throws {
        let topOrigins = TopOrigins()
        for _ in 0..<10 { topOrigins.note(origin("fast.test"), isFailure: false, milliseconds: 10) }
        for _ in 0..<10 { topOrigins.note(origin("slow.test"), isFailure: false, milliseconds: 900) }
        for number in 0..<4 { topOrigins.note(origin("ill.test"), isFailure: number == 0, milliseconds: 5) }
        let worst = topOrigins.worst(10)
        #expect(worst.map(\.origin.host) == ["ill.test", "slow.test", "fast.test"])
        #expect(worst[0].failures == 1 && worst[0].fetches == 4 && worst[1].milliseconds == 900)
        #expect(topOrigins.worst(1).count == 1)
    }

    @Test func `what is old counts in part, and is forgotten`() throws {
        let topOrigins = TopOrigins()
        for _ in 0..<10 { topOrigins.note(origin("a.test"), isFailure: true, milliseconds: 100) }
        topOrigins.fade(to: 0.5)
        let entry = try #require(topOrigins.worst(1).first)
        #expect(entry.fetches == 5 && entry.failures == 5 && entry.milliseconds == 100)
        for _ in 0..<10 { topOrigins.fade(to: 0.5) }
        #expect(topOrigins.worst(1).isEmpty)
    }

    @Test func `strangers' origins stay in bounds, and push out none that is asked often`() throws {
        let topOrigins = TopOrigins()
        for number in 0..<50_000 {
            topOrigins.note(origin("host-\(number).test"), isFailure: false, milliseconds: 1)
            if number % 20 == 0 { topOrigins.note(origin("often.test"), isFailure: true, milliseconds: 7) }
        }
        let all = topOrigins.worst(.max)
        #expect(all.count == 128)
        #expect(all.first?.origin.host == "often.test" && all.first?.fetches ?? 0 > 2_000)
        #expect(all.dropFirst().allSatisfy { $0.failures == 0 && $0.fetches <= 2 })
    }
}
