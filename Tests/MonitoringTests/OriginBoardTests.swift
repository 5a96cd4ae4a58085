// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import Testing

@testable import Monitoring

struct OriginBoardTests {
    private func origin(_ name: String) -> SourceOrigin {
        SourceURL(scheme: .https, host: name, port: 443, target: "/").origin
    }

    @Test func `failures come first, then time`() throws {
        let board = OriginBoard()
        for _ in 0..<10 { board.note(origin("fast.test"), isFailure: false, milliseconds: 10) }
        for _ in 0..<10 { board.note(origin("slow.test"), isFailure: false, milliseconds: 900) }
        for number in 0..<4 { board.note(origin("ill.test"), isFailure: number == 0, milliseconds: 5) }
        let worst = board.worst(10)
        #expect(worst.map(\.origin.host) == ["ill.test", "slow.test", "fast.test"])
        #expect(worst[0].failures == 1 && worst[0].fetches == 4 && worst[1].milliseconds == 900)
        #expect(board.worst(1).count == 1)
    }

    @Test func `what is old counts in part, and is forgotten`() throws {
        let board = OriginBoard()
        for _ in 0..<10 { board.note(origin("a.test"), isFailure: true, milliseconds: 100) }
        board.fade(to: 0.5)
        let entry = try #require(board.worst(1).first)
        #expect(entry.fetches == 5 && entry.failures == 5 && entry.milliseconds == 100)
        for _ in 0..<10 { board.fade(to: 0.5) }
        #expect(board.worst(1).isEmpty)
    }

    @Test func `strangers' origins stay in bounds, and push out none that is asked often`() throws {
        let board = OriginBoard()
        for number in 0..<50_000 {
            board.note(origin("host-\(number).test"), isFailure: false, milliseconds: 1)
            if number % 20 == 0 { board.note(origin("often.test"), isFailure: true, milliseconds: 7) }
        }
        let all = board.worst(.max)
        #expect(all.count == 128)
        #expect(all.first?.origin.host == "often.test" && all.first?.fetches ?? 0 > 2_000)
        #expect(all.dropFirst().allSatisfy { $0.failures == 0 && $0.fetches <= 2 })
    }
}
