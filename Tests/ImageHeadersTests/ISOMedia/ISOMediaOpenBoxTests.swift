// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

@Suite struct ISOMediaOpenBoxTests {
    private let front = Sample.box("ftyp", Array("avif".utf8) + [0, 0, 0, 0])
    private let content: [UInt8] = [0, 0, 0, 0] + Sample.box("pitm", [0, 0, 0, 0, 0, 1])

    private func place(_ file: [UInt8]) -> Int? { ISOMediaOpenBox.meta(HeaderBytes(file)) }

    @Test func `a box without a size reaches to the end of the file`() {
        #expect(place(front + Sample.big(0, 4) + Array("meta".utf8) + content) == front.count)
    }

    @Test func `a box with a size has an end of its own`() {
        let large = Sample.big(1, 4) + Array("meta".utf8) + Sample.big(16 + content.count, 8) + content
        for meta in [Sample.box("meta", content), large] {
            #expect(place(front + meta) == nil)
            #expect(place(front + meta + Sample.big(0, 4) + Array("mdat".utf8) + [1, 2, 3]) == nil)
        }
    }

    @Test func `a file without the box has none that is open`() {
        #expect(place(front) == nil)
        #expect(place(front + Sample.big(0, 4) + Array("mdat".utf8) + content) == nil)
        let file = front + Sample.big(0, 4) + Array("meta".utf8)
        for length in 0..<file.count { #expect(place(Array(file.prefix(length))) == nil, "\(length) bytes") }
    }
}
