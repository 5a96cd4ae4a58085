// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Imaging

/// How a search ends over an encoder whose likeness is this function of the quality.
private func search(
    for target: Double, from start: Int, _ likeness: (Int) -> Double
) -> (answer: Int, tried: [Int]) {
    var search = QualitySearch(target: target, start: start)
    var tried: [Int] = []
    while let quality = search.next {
        tried.append(quality)
        search.record(quality, likeness: likeness(quality))
    }
    return (search.answer ?? 0, tried)
}

@Suite("A search finds the lowest quality that is like enough")
struct QualitySearchTests {
    /// Slopes of real encoders and far beyond, with a step where chroma changes its resolution.
    private static let encoders: [@Sendable (Int) -> Double] = [
        { 1 - exp(-1.2 - 0.033 * Double($0)) }, { 1 - exp(-0.5 - 0.06 * Double($0)) },
        { 1 - exp(-2.5 - 0.012 * Double($0)) }, { 1 - exp(-1 - 0.03 * Double($0) - ($0 >= 90 ? 0.6 : 0)) },
        { 1 - exp(-1 - 0.0004 * Double($0 * $0)) },
    ]

    @Test(arguments: [0.9, 0.95, 0.97, 0.98, 0.99], [20, 65, 80, 95])
    func `five steps less would not do, and five tries are enough`(target: Double, start: Int) {
        for (index, encoder) in Self.encoders.enumerated() {
            let (answer, tried) = search(for: target, from: start, encoder)
            #expect(tried.count <= 5)
            #expect(Set(tried).count == tried.count, "no quality twice")
            #expect(tried.allSatisfy { QualitySearch.range.contains($0) })
            if encoder(95) < target {
                #expect(answer == 95, "encoder \(index)")
            } else {
                #expect(encoder(answer) >= target, "encoder \(index): \(tried)")
                let lower = answer - 5
                #expect(lower < 20 || encoder(lower) < target, "encoder \(index): \(tried)")
            }
        }
    }

    @Test func `what everything satisfies is written at the floor, and what nothing does at the ceiling`() {
        #expect(search(for: 0.9, from: 80) { _ in 1 }.answer <= 25)
        #expect(search(for: 1, from: 80) { _ in 0.999 }.answer == 95)
    }

    @Test func `a first try that hits the mark ends it`() {
        #expect(search(for: 0.98, from: 80) { _ in 0.9801 }.tried == [80])
    }
}
