// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

@Suite struct ISOMediaAlphaTests {
    /// Item 1 is the picture.
    private func file(_ references: [UInt8]...) -> [UInt8] {
        let iprp = Sample.box("iprp", Sample.box("ipco", Sample.ispe(16, 16)))
        let iref = Sample.box("iref", [0, 0, 0, 0] + references.flatMap { $0 })
        return Sample.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
            + Sample.box("meta", [0, 0, 0, 0] + Sample.box("pitm", [0, 0, 0, 0, 0, 1]) + iprp + iref)
    }

    private func reference(_ type: String, from source: UInt8, to target: UInt8) -> [UInt8] {
        Sample.box(type, [0, source, 0, 1, 0, target])
    }

    private func isMultiplied(_ file: [UInt8]) -> Bool { ISOMediaAlpha.isMultiplied(HeaderBytes(file)) }

    @Test func `a reference from the picture to its alpha says that colours are multiplied by it`() {
        let alpha = reference("auxl", from: 2, to: 1)
        #expect(isMultiplied(file(reference("prem", from: 1, to: 2), alpha)))
        #expect(isMultiplied(file(alpha, reference("prem", from: 1, to: 2))))
        #expect(!isMultiplied(file(alpha)))
        #expect(!isMultiplied(file()))
        #expect(!isMultiplied(file(reference("prem", from: 3, to: 2), alpha)))
    }

    @Test func `what is cut says nothing`() {
        let whole = file(reference("prem", from: 1, to: 2))
        for length in whole.indices { #expect(!isMultiplied(Array(whole.prefix(length))), "\(length) bytes") }
    }
}
