// SPDX-License-Identifier: Apache-2.0

import CPlanar
@testable import Planar
import RandomInputs
import Testing

/// The processor's own instructions give the same bytes as Swift.
@Suite(.enabled(if: cplanar_is_available(), "this processor lacks the instructions"))
struct KernelTests {
    @Test(arguments: [8, 4, 2])
    func `inverse transforms agree, whatever the coefficients`(side: Int) {
        var random = SeededRandom(for: "inverse transforms")
        for round in 0..<1_000 {
            // From quiet blocks to blocks that no encoder writes.
            let most = [4, 60, 900, 32_767][round % 4]
            let block = (0..<64).map { index in
                index == 0 || random.chance(round % 7 * 16)
                    ? Int16(Int.random(in: -most - (most == 32_767 ? 1 : 0)...most, using: &random)) : 0
            }
            #expect(inverse(block, side, .vector) == inverse(block, side, .portable))
        }
    }

    private func inverse(_ block: [Int16], _ side: Int, _ kernels: Kernels) -> [UInt8] {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 32)
        defer { memory.deallocate() }
        let coefficients = memory.bindMemory(to: Int16.self)
        _ = coefficients.initialize(from: block)
        var samples = [UInt8](repeating: 77, count: side * 11)
        samples.withUnsafeMutableBufferPointer { samples in
            kernels.inverse(
                coefficients.baseAddress.unsafelyUnwrapped, side: side,
                to: samples.baseAddress.unsafelyUnwrapped, stride: 11)
        }
        #expect(coefficients.allSatisfy { $0 == 0 })
        return samples
    }

    @Test func `filters agree, down and across`() throws {
        var random = SeededRandom(for: "filters")
        for _ in 0..<200 {
            let (available, target) = (
                Int.random(in: 1...90, using: &random), Int.random(in: 1...90, using: &random)
            )
            let extent = Double(available) + Double.random(in: 0..<1, using: &random)
            let down = try #require(
                LanczosFilter(extent: extent, available: available, target: target, group: 2))
            let across = try #require(
                LanczosFilter(extent: extent, available: available, target: target, group: 16))
            let ring = PlaneRing(width: available, rows: available)
            for row in 0..<available {
                for x in 0..<available {
                    ring.place(ofRow: row, count: 1)[x] =
                        random.chance(50) ? 255 : UInt8.random(in: 0...255, using: &random)
                }
            }
            let index = Int.random(in: 0..<target, using: &random)
            let made = [Kernels.vector, .portable].map { kernels in
                var between = [Int16](repeating: 0, count: ring.stride + across.taps)
                var samples = [Int16](repeating: 0, count: target + 32)
                let rows = cplanar_rows(
                    samples: ring.start, stride: ring.stride, count: Int32(ring.rows),
                    first: down.starts[index])
                between.withUnsafeMutableBufferPointer { between in
                    samples.withUnsafeMutableBufferPointer { samples in
                        let row = between.baseAddress.unsafelyUnwrapped
                        down.withFilter(of: index) { kernels.down(rows, $0, to: row, width: available) }
                        across.withFilter {
                            kernels.across(row, $0, to: samples.baseAddress.unsafelyUnwrapped, width: target)
                        }
                    }
                }
                return samples.prefix(target)
            }
            #expect(made[0] == made[1])
        }
    }

    @Test func `colours agree`() {
        // Every luma from below black to beyond white, by every tenth Cb and Cr.
        let lumas = (-200...16_800).map { Int16($0) }
        for step in 0..<27 {
            let (cb, cr) = (Int16(step * 631), Int16(16_400 - step * 607))
            let planes: [[Int16]] = [
                lumas, Array(repeating: cb, count: lumas.count), Array(repeating: cr, count: lumas.count),
            ]
            let rows: [UnsafeMutableBufferPointer<Int16>] = planes.map { plane in
                let row = UnsafeMutableBufferPointer<Int16>.allocate(capacity: plane.count + 8)
                row.initialize(repeating: 0)
                _ = row.update(fromContentsOf: plane)
                return row
            }
            #expect(colours(rows, lumas.count, .vector) == colours(rows, lumas.count, .portable))
            for row in rows { row.deallocate() }
        }
    }

    private func colours(
        _ rows: [UnsafeMutableBufferPointer<Int16>], _ width: Int, _ kernels: Kernels
    ) -> [UInt8] {
        var rgb = [UInt8](repeating: 0, count: (width + 8) * 3 + 4)
        rgb.withUnsafeMutableBufferPointer { rgb in
            kernels.colours(
                rows.map { $0.baseAddress.unsafelyUnwrapped }, to: rgb.baseAddress.unsafelyUnwrapped,
                width: width)
        }
        return Array(rgb.prefix(width * 3))
    }
}
