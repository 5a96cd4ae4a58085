// SPDX-License-Identifier: Apache-2.0

import CPlanar
@testable import Planar
import RandomInputs
import Testing

/// What the processor's own instructions make is what Swift makes, to the byte.
@Suite(.enabled(if: cplanar_is_available()))
struct KernelTests {
    @Test(arguments: [8, 4, 2])
    func `inverse transforms agree, whatever the coefficients`(side: Int) {
        var random = SeededRandom(for: "inverse transforms")
        for round in 0..<1_000 {
            // From quiet blocks to those that no encoder writes.
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
                var samples = [UInt8](repeating: 0, count: target + 32)
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
        for y in stride(from: 0, through: 255, by: 5) {
            for cb in stride(from: 0, through: 255, by: 17) {
                var rows = [[UInt8]](repeating: (0...255).map { UInt8($0) }, count: 3)
                rows[0] = [UInt8](repeating: UInt8(y), count: 256)
                rows[1] = [UInt8](repeating: UInt8(cb), count: 256)
                let made = [Kernels.vector, .portable].map { kernels in
                    var rgb = [UInt8](repeating: 0, count: 256 * 3 + 4)
                    withPointers(&rows) { rows in
                        rgb.withUnsafeMutableBufferPointer {
                            kernels.colours(rows, to: $0.baseAddress.unsafelyUnwrapped, width: 256)
                        }
                    }
                    return rgb.prefix(256 * 3)
                }
                #expect(made[0] == made[1])
            }
        }
    }

    private func withPointers(_ rows: inout [[UInt8]], _ work: ([UnsafeMutablePointer<UInt8>]) -> Void) {
        let copies = rows.map { row in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: row.count)
            _ = copy.initialize(from: row)
            return copy
        }
        work(copies.compactMap(\.baseAddress))
        for copy in copies { copy.deallocate() }
    }
}
