// SPDX-License-Identifier: Apache-2.0

@testable import Planar
import RandomInputs
import Testing

/// Planes for encoders: each of the requested size, row by row, and the same from both kernels.
@Suite struct PlaneTests {
    private struct Planes: Equatable {
        var rows: [[[UInt8]]]
        /// The plane of each row, in order of arrival.
        var order: [Int] = []
    }

    private func planes(
        _ file: [UInt8], _ size: (Int, Int), _ window: PlaneWindow? = nil, form: PlaneForm, shrink: Int = 1,
        by kernels: Kernels = .best, ending end: Int = .max
    ) throws -> Planes {
        try file.span.bytes.withUnsafeBytes { (file) throws(JPEGLaneRefusal) -> Planes in
            let jpeg = try PlanarJPEG(file)
            var planes = Planes(rows: Array(repeating: [], count: jpeg.bands))
            try jpeg.resizePlanes(
                shrink: shrink, width: size.0, height: size.1, window: window, form: form, by: kernels
            ) { (plane, row) in
                planes.rows[plane].append(Array(row))
                planes.order.append(plane)
                return planes.order.count < end
            }
            return planes
        }
    }

    private static func file(
        _ width: Int, _ height: Int, sampling: (Int, Int)? = (2, 2), _ random: inout SeededRandom
    ) -> [UInt8] {
        JPEGWriter(picture: .random(width, height, sampling: sampling, density: 2, &random)).file
    }

    @Test(arguments: [(1, 1), (2, 1), (1, 2), (2, 2)], [(60, 40), (61, 41), (1, 1), (7, 40)])
    func `luma has all rows, and chroma all of them or half`(sampling: (Int, Int), size: (Int, Int)) throws {
        var random = SeededRandom(for: "planes \(sampling) \(size)")
        let file = Self.file(61, 41, sampling: sampling, &random)
        for halves in [true, false] {
            let form = PlaneForm(halvesChroma: halves, isLimited: false)
            let planes = try planes(file, size, form: form)
            let chroma = halves ? ((size.0 + 1) / 2, (size.1 + 1) / 2) : size
            #expect(planes.rows.map(\.count) == [size.1, chroma.1, chroma.1])
            #expect(planes.rows[0].allSatisfy { $0.count == size.0 })
            #expect((planes.rows[1] + planes.rows[2]).allSatisfy { $0.count == chroma.0 })
            #expect(planes == (try self.planes(file, size, form: form, by: .portable)))
        }
    }

    @Test func `rows of chroma come right behind the first of luma's that they belong to`() throws {
        var random = SeededRandom(for: "order of planes")
        let file = Self.file(64, 40, &random)
        let halved = try planes(file, (30, 5), form: PlaneForm(halvesChroma: true, isLimited: false))
        #expect(halved.order == [0, 1, 2, 0, 0, 1, 2, 0, 0, 1, 2])
        let whole = try planes(file, (30, 3), form: PlaneForm(halvesChroma: false, isLimited: false))
        #expect(whole.order == [0, 1, 2, 0, 1, 2, 0, 1, 2])
    }

    @Test func `grey has one plane`() throws {
        var random = SeededRandom(for: "grey planes")
        let file = Self.file(50, 40, sampling: nil, &random)
        let planes = try planes(file, (20, 16), form: PlaneForm(halvesChroma: true, isLimited: true))
        #expect(planes.rows.map(\.count) == [16] && planes.rows[0].allSatisfy { $0.count == 20 })
    }

    @Test func `fewer levels are those of BT.601`() throws {
        var random = SeededRandom(for: "levels")
        for _ in 0..<5 {
            let file = Self.file(80, 64, &random)
            let full = try planes(file, (40, 32), form: PlaneForm(halvesChroma: true, isLimited: false))
            let limited = try planes(file, (40, 32), form: PlaneForm(halvesChroma: true, isLimited: true))
            for (index, (scale, offset)) in [(219.0, 16.0), (224, 16), (224, 16)].enumerated() {
                for (all, few) in zip(full.rows[index].joined(), limited.rows[index].joined()) {
                    // Both results are rounded separately, like the weights of both filters, and both are clipped.
                    #expect(abs(Double(few) - (Double(all) * scale / 255 + offset)) <= 1.5, "\(all): \(few)")
                }
            }
        }
    }

    @Test(arguments: [(1, 1), (2, 1), (1, 2), (2, 2)], [1, 2, 4])
    func `a window shows a part of the whole`(sampling: (Int, Int), shrink: Int) throws {
        var random = SeededRandom(for: "windows \(sampling) \(shrink)")
        let file = Self.file(161, 122, sampling: sampling, &random)
        let size = (161 * 2 / (3 * shrink), 122 * 2 / (3 * shrink))
        for halves in [false, true] {
            let form = PlaneForm(halvesChroma: halves, isLimited: false)
            let whole = try planes(file, size, form: form, shrink: shrink)
            for _ in 0..<10 {
                // The window begins at the first of the pixels that share a sample of chroma.
                let x = Int.random(in: 0..<size.0, using: &random) / 2 * 2
                let y = Int.random(in: 0..<size.1, using: &random) / 2 * 2
                let window = PlaneWindow(
                    x: x, y: y, width: .random(in: 1...size.0 - x, using: &random),
                    height: .random(in: 1...size.1 - y, using: &random))
                let part = try planes(file, size, window, form: form, shrink: shrink)
                for (index, rows) in part.rows.enumerated() {
                    let density = index > 0 && halves ? 2 : 1
                    let expected = whole.rows[index].dropFirst(y / density).map {
                        Array($0.dropFirst(x / density).prefix((window.width + density - 1) / density))
                    }
                    #expect(rows == Array(expected.prefix((window.height + density - 1) / density)))
                }
                #expect(part == (try planes(file, size, window, form: form, shrink: shrink, by: .portable)))
            }
        }
    }

    @Test func `of a window that is shown from its end, the last pixels share a sample`() throws {
        var random = SeededRandom(for: "reversed windows")
        let file = Self.file(120, 90, &random)
        let form = PlaneForm(halvesChroma: true, isLimited: false)
        func chroma(_ window: PlaneWindow) throws -> [[[UInt8]]] {
            try Array(planes(file, (60, 44), window, form: form).rows.dropFirst())
        }
        // 11…15 in pairs from the end: 14 and 15, 12 and 13, 10 and 11.
        let pairs = try chroma(PlaneWindow(x: 10, y: 20, width: 6, height: 4))
        #expect(try chroma(PlaneWindow(x: 11, y: 20, width: 5, height: 4, isReversed: true)) == pairs)
        #expect(try chroma(PlaneWindow(x: 10, y: 21, width: 6, height: 3, isUpsideDown: true)) == pairs)
        #expect(try chroma(PlaneWindow(x: 11, y: 20, width: 5, height: 4)) != pairs)
        #expect(try chroma(PlaneWindow(x: 10, y: 20, width: 6, height: 4, isReversed: true)) == pairs)
    }

    @Test func `a window must lie within the picture`() throws {
        var random = SeededRandom(for: "windows beyond")
        let file = Self.file(64, 64, &random)
        let form = PlaneForm(halvesChroma: true, isLimited: false)
        for window in [
            PlaneWindow(x: -1, width: 4, height: 4), PlaneWindow(y: 29, width: 4, height: 4),
            PlaneWindow(width: 33, height: 4), PlaneWindow(width: 0, height: 4),
            PlaneWindow(x: 1, width: .max, height: 4), PlaneWindow(x: .min, width: 4, height: 4),
        ] {
            #expect(throws: JPEGLaneRefusal.otherSize) { try planes(file, (32, 32), window, form: form) }
        }
    }

    @Test func `whoever has enough gets no more`() throws {
        var random = SeededRandom(for: "an early end")
        let file = Self.file(64, 48, &random)
        for end in 1...9 {
            let planes = try planes(
                file, (32, 24), form: PlaneForm(halvesChroma: true, isLimited: false), ending: end)
            #expect(planes.order.count == end)
        }
    }

    @Test func `what breaks off is given up, however much was taken by then`() throws {
        var random = SeededRandom(for: "broken planes")
        let file = Self.file(64, 64, &random)
        let form = PlaneForm(halvesChroma: true, isLimited: false)
        for cut in [20, 100, 300] {
            #expect(throws: JPEGLaneRefusal.self) {
                try planes(file.dropLast(cut) + [], (16, 16), form: form)
            }
        }
        #expect(throws: JPEGLaneRefusal.otherSize) { try planes(file, (65, 20), form: form) }
        #expect(throws: JPEGLaneRefusal.otherSize) { try planes(file, (20, 0), form: form) }
    }
}
