// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import Imaging

/// The result of a search with an encoder whose likeness is this function of the quality.
private func search(
    for target: Double, curve: QualityCurve, _ likeness: (Int) -> Double
) -> (answer: Int, tried: [Int]) {
    var search = QualitySearch(target: target, curve: curve)
    var tried: [Int] = []
    while let quality = search.next {
        tried.append(quality)
        search.record(quality, likeness: likeness(quality))
    }
    return (search.answer ?? 0, tried)
}

@Suite("A search finds the quality that has the likeness")
struct QualitySearchTests {
    private static let curves = [QualityCurve.jpeg, .webp, .avif]

    /// Slopes like real encoders' and beyond, some with a step where chroma changes its resolution.
    private static let encoders: [@Sendable (Int) -> Double] = [
        { 1 - exp(-0.2 - 0.018 * Double($0)) }, { 1 - exp(0.3 - 0.025 * Double($0)) },
        { 0.5 + 0.004 * Double($0) }, { 0.3 + 0.007 * Double($0) },
        { 1 - exp(-0.2 - 0.015 * Double($0)) + ($0 >= 90 ? 0.05 : 0) },
    ]

    @Test(arguments: [0.6, 0.7, 0.75, 0.8, 0.9], 0..<3)
    func `four tries are enough`(target: Double, format: Int) {
        for (index, encoder) in Self.encoders.enumerated() {
            let (answer, tried) = search(for: target, curve: Self.curves[format], encoder)
            #expect(tried.count <= 4)
            #expect(Set(tried).count == tried.count, "no quality twice")
            #expect(tried.allSatisfy { QualitySearch.range.contains($0) })
            let nearest = QualitySearch.range.map { abs(encoder($0) - target) }.min() ?? 0
            let miss = abs(encoder(answer) - target)
            // An untried answer assumes the usual shape, which these encoders do not follow.
            #expect(miss <= max(0.055, nearest + 0.005), "encoder \(index): \(tried)")
        }
    }

    @Test func `what everything satisfies is written at the floor, and what nothing does at the ceiling`() {
        for curve in Self.curves {
            #expect(search(for: 0.7, curve: curve) { _ in 1 }.answer <= 45)
            #expect(search(for: 1, curve: curve) { _ in 0.9 }.answer == 95)
        }
    }

    @Test func `a first try that hits the mark is the answer`() {
        for curve in Self.curves {
            let (answer, tried) = search(for: 0.75, curve: curve) { _ in 0.741 }
            #expect(tried == [answer])
        }
    }

    @Test(arguments: [-0.035, -0.02, 0.02, 0.035])
    func `a first try near the mark tells the answer`(off: Double) {
        for curve in Self.curves {
            // A picture that loses more or less than usual, by one factor at every quality.
            let factor = (0.25 - off) / 0.25
            let (answer, tried) = search(for: 0.75, curve: curve) { quality in
                1 - factor * (1 - curve.likeness(at: Double(quality)))
            }
            #expect(tried.count == 1)
            let found = 1 - factor * (1 - curve.likeness(at: Double(answer)))
            #expect(abs(found - 0.75) < 0.005, "\(answer) after \(tried)")
        }
    }

    @Test func `two tries tell how fast a picture's loss grows`() {
        for curve in Self.curves {
            for (factor, power) in [(0.5, 0.6), (2.0, 1.5)] {
                let likeness = { (quality: Int) in
                    1 - factor * pow(1 - curve.likeness(at: Double(quality)), power)
                }
                let (answer, tried) = search(for: 0.75, curve: curve, likeness)
                #expect(tried.count <= 3)
                #expect(abs(likeness(answer) - 0.75) < QualitySearch.near / 3, "\(answer) after \(tried)")
            }
        }
    }

    /// Coloured lines that do not show at all with half the chroma.
    @Test(arguments: [0.82, 0.85, 0.88, 0.9, 0.92])
    func `an answer that was not tried has no less chroma than the try that told it`(target: Double) {
        for (curve, best) in [(QualityCurve.jpeg, 0.909), (.avif, 0.93)] {
            let (answer, tried) = search(for: target, curve: curve) { quality in
                quality < 90 ? min(0.62, curve.likeness(at: Double(quality))) : best
            }
            #expect(answer >= 90, "\(answer) after \(tried)")
        }
    }

    @Test func `a random encoder never leads astray`() {
        let seed = UInt64.random(in: 0...999_999)
        var state = seed
        for _ in 0..<2_000 {
            var values: [Int: Double] = [:]
            let (answer, tried) = search(for: 0.75, curve: .jpeg) { quality in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let value = Double(state >> 40) / Double(1 << 24)
                values[quality] = value
                return value
            }
            #expect(tried.count == Set(tried).count && tried.count <= 4, "seed \(seed)")
            #expect(QualitySearch.range.contains(answer), "seed \(seed)")
            // A tried quality is the answer only if no other tried one is nearer to the target.
            guard let value = values[answer] else { continue }
            #expect(values.values.allSatisfy { abs(value - 0.75) <= abs($0 - 0.75) }, "seed \(seed)")
        }
    }

    @Test func `half the chroma is in doubt where it takes an unusual quality, and the target does not`() {
        func doubts(_ target: Double, _ likeness: @escaping (Int) -> Double) -> Bool {
            var search = QualitySearch(target: target, curve: .jpeg)
            while let quality = search.next { search.record(quality, likeness: likeness(quality)) }
            return search.doubtsHalfChroma
        }
        let usual: (Int) -> Double = { QualityCurve.jpeg.likeness(at: Double($0)) }
        let coloured: (Int) -> Double = { $0 < 90 ? 0.3 + 0.003 * Double($0) : 0.9 }
        #expect(!QualitySearch(target: 0.75, curve: .jpeg).doubtsHalfChroma)
        #expect(!doubts(0.75, usual))
        #expect(doubts(0.75, coloured))
        #expect(!doubts(0.86, usual))
    }

    @Test func `a curve tells the likeness of a quality and the quality of a likeness`() {
        for curve in Self.curves {
            for quality in stride(from: 15.0, through: 99, by: 0.5) {
                #expect(abs(curve.quality(at: curve.likeness(at: quality)) - quality) < 1e-9)
            }
        }
    }

    @Test func `likeness and quality ascend together on each curve`() {
        for curve in Self.curves {
            let qualities = stride(from: 0.0, through: 1, by: 0.01).map { curve.quality(at: $0) }
            #expect(zip(qualities, qualities.dropFirst()).allSatisfy { $0 < $1 })
        }
    }
}
