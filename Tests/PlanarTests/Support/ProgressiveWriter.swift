// SPDX-License-Identifier: Apache-2.0

/// Writes coefficients as a progressive JPEG (ITU-T T.81 §G), by any script.
struct ProgressiveWriter {
    /// One scan: a band of coefficients, from one bit to another.
    struct Step {
        var components: [Int]
        var band: ClosedRange<Int>
        var high = 0
        var low = 0
    }

    var picture: CoefficientPicture
    var script: [Step]
    /// Fill bytes before each marker behind data.
    var fill = 0
    var end: [UInt8] = [0xFF, 0xD9]

    /// libjpeg's script, for three components or for one.
    static func usual(_ components: Int) -> [Step] {
        let colours: [Step] =
            components == 1
            ? [] : [Step(components: [2], band: 1...63, low: 1), Step(components: [1], band: 1...63, low: 1)]
        let refined: [Step] =
            components == 1
            ? []
            : [Step(components: [2], band: 1...63, high: 1), Step(components: [1], band: 1...63, high: 1)]
        let all = Array(0..<components)
        return [Step(components: all, band: 0...0, low: 1), Step(components: [0], band: 1...5, low: 2)]
            + colours
            + [
                Step(components: [0], band: 6...63, low: 2),
                Step(components: [0], band: 1...63, high: 2, low: 1),
            ]
            + [Step(components: all, band: 0...0, high: 1)] + refined
            + [Step(components: [0], band: 1...63, high: 1)]
    }

    /// Without successive approximation, a scan for each component.
    static func plain(_ components: Int) -> [Step] {
        (0..<components).map { Step(components: [$0], band: 0...0) }
            + (0..<components).flatMap {
                [Step(components: [$0], band: 1...8), Step(components: [$0], band: 9...63)]
            }
    }

    var file: [UInt8] {
        var baseline = JPEGWriter(picture: picture)
        baseline.frameMarker = 0xC2
        var bytes: [UInt8] = [0xFF, 0xD8] + baseline.applications.flatMap(\.self)
        for index in 0..<min(2, picture.components.count) {
            bytes += JPEGWriter.segment(0xDB, [UInt8(index)] + picture.components[index].steps)
        }
        bytes += baseline.frame
        bytes += JPEGWriter.segment(0xC4, [0x00] + Code.dc.counts + Code.dc.symbols)
        bytes += JPEGWriter.segment(0xC4, [0x10] + Code.bands.counts + Code.bands.symbols)
        let interval = picture.restartInterval
        if interval > 0 { bytes += JPEGWriter.segment(0xDD, [UInt8(interval >> 8), UInt8(interval & 255)]) }
        for step in script {
            var head = [UInt8(step.components.count)]
            for index in step.components { head += [baseline.ids[index], 0] }
            head += [
                UInt8(step.band.lowerBound), UInt8(step.band.upperBound), UInt8(step.high << 4 | step.low),
            ]
            bytes += JPEGWriter.segment(0xDA, head) + data(step) + [UInt8](repeating: 0xFF, count: fill)
        }
        return bytes + end
    }

    /// The blocks of each unit, by component and number.
    private func units(_ step: Step) -> [[(component: Int, block: Int)]] {
        func blocks(_ length: Int, _ own: Int, _ most: Int) -> Int {
            ((length * own + most - 1) / most + 7) / 8
        }
        let luma = picture.components[0]
        if step.components.count == 1 {
            let component = picture.components[step.components[0]]
            let across = blocks(picture.width, component.horizontal, luma.horizontal)
            return (0..<blocks(picture.height, component.vertical, luma.vertical)).flatMap { y in
                (0..<across).map { [(step.components[0], y * component.blocksAcross + $0)] }
            }
        }
        return (0..<picture.unitsAcross * picture.unitsDown).map { unit in
            step.components.flatMap { index in
                let component = picture.components[index]
                let (row, column) = (unit / picture.unitsAcross, unit % picture.unitsAcross)
                return (0..<component.vertical * component.horizontal).map { place in
                    let y = row * component.vertical + place / component.horizontal
                    return (
                        index,
                        y * component.blocksAcross + column * component.horizontal + place
                            % component.horizontal
                    )
                }
            }
        }
    }

    private func data(_ step: Step) -> [UInt8] {
        var state = State(step: step)
        for (number, unit) in units(step).enumerated() {
            if picture.restartInterval > 0, number > 0, number % picture.restartInterval == 0 {
                state.flush()
                state.bits.align()
                state.bits.bytes += [UInt8](repeating: 0xFF, count: 1 + fill)
                state.bits.bytes.append(0xD0 + UInt8((number / picture.restartInterval - 1) % 8))
                state.last = [0, 0, 0]
            }
            for (component, block) in unit {
                state.write(picture.components[component].blocks[block], of: component)
            }
        }
        state.flush()
        state.bits.align()
        return state.bits.bytes
    }

    private struct State {
        let step: Step
        var bits = BitWriter()
        var last = [0, 0, 0]
        /// Blocks in the current end-of-band run, and their correction bits.
        var ended = 0
        var owed: [Int] = []

        mutating func write(_ block: [Int], of component: Int) {
            if step.band.lowerBound == 0 { return writeDC(block[0], of: component) }
            step.high == 0 ? writeBand(block) : refine(block)
        }

        private mutating func writeDC(_ value: Int, of component: Int) {
            guard step.high == 0 else { return bits.put((value >> step.low & 1, 1)) }
            let difference = (value >> step.low) - last[component]
            last[component] = value >> step.low
            put(difference, run: 0, by: .dc)
        }

        /// Shifts towards zero, as coefficients are shifted.
        private func shifted(_ value: Int) -> Int {
            value < 0 ? -(-value >> step.low) : value >> step.low
        }

        private mutating func writeBand(_ block: [Int]) {
            var run = 0
            for index in step.band {
                let value = shifted(block[index])
                guard value != 0 else {
                    run += 1
                    continue
                }
                flush()
                while run > 15 {
                    bits.put(Code.bands.codes[0xF0])
                    run -= 16
                }
                put(value, run: run, by: .bands)
                run = 0
            }
            if run > 0 { end([]) }
        }

        private mutating func refine(_ block: [Int]) {
            let new = step.band.last { abs(shifted(block[$0])) == 1 } ?? -1
            var (run, pending): (Int, [Int]) = (0, [])
            for index in step.band {
                let value = shifted(block[index])
                guard value != 0 else {
                    run += 1
                    continue
                }
                while run > 15, index <= new {
                    flush()
                    bits.put(Code.bands.codes[0xF0])
                    for bit in pending { bits.put((bit, 1)) }
                    (run, pending) = (run - 16, [])
                }
                if abs(value) > 1 {
                    pending.append(abs(value) & 1)
                    continue
                }
                flush()
                bits.put(Code.bands.codes[UInt8(run << 4 | 1)])
                bits.put((value < 0 ? 0 : 1, 1))
                for bit in pending { bits.put((bit, 1)) }
                (run, pending) = (0, [])
            }
            if run > 0 || !pending.isEmpty { end(pending) }
        }

        private mutating func end(_ pending: [Int]) {
            ended += 1
            owed += pending
            if ended == 0x7FFF { flush() }
        }

        mutating func flush() {
            guard ended > 0 else { return }
            let size = Int.bitWidth - 1 - ended.leadingZeroBitCount
            bits.put(Code.bands.codes[UInt8(size << 4)])
            bits.put((ended - 1 << size, size))
            for bit in owed { bits.put((bit, 1)) }
            (ended, owed) = (0, [])
        }

        private mutating func put(_ number: Int, run: Int, by code: Code) {
            let size = Int.bitWidth - number.magnitude.leadingZeroBitCount
            bits.put(code.codes[UInt8(run << 4 | size)])
            bits.put((number < 0 ? number - 1 : number, size))
        }
    }
}

extension Code {
    /// All runs with sizes up to 10, and all end-of-band symbols; codes of up to 16 bits.
    static let bands = Code(
        counts: [0, 1, 1, 1, 2, 2, 2, 4, 8, 16, 16, 60, 0, 0, 0, 63],
        symbols: (0...175).map { UInt8(($0 % 16) << 4 | $0 / 16) })
}
