// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

@Suite("A thumbnail stands for its picture only if it is turned as the picture is")
struct ISOMediaThumbnailTests {
    private func turn(_ quarters: UInt8) -> [UInt8] { Sample.box("irot", [quarters]) }
    private func mirror(_ axis: UInt8) -> [UInt8] { Sample.box("imir", [axis]) }
    private let crop = Sample.box("clap", [12, 1, 8, 1, 0, 1, 0, 1].flatMap { Sample.big($0, 4) })

    /// Thumbnails of the picture, each with these properties besides its size and its coding.
    private func isTurnedAlike(_ picture: [[UInt8]], _ thumbnails: [[UInt8]]...) -> Bool {
        let items = ([picture] + thumbnails).map { turns in
            ("av01", [Sample.ispe(24, 16), AV1.av1C()] + turns, AV1.sequence(24, 16))
        }
        let references = thumbnails.indices.map { ("thmb", $0 + 2, [1]) }
        return ISOMediaThumbnail.isTurnedAlike(HeaderBytes(CodedFile.make(items, references: references)))
    }

    @Test func `as many quarters and the same mirror are alike`() {
        for turns in [[], [turn(1)], [turn(2)], [turn(3)], [mirror(0)], [mirror(1), turn(1)], [crop]] {
            #expect(isTurnedAlike(turns, turns), "\(turns)")
        }
        // The upper bits are reserved, and a turn of 0 counts as none.
        #expect(isTurnedAlike([turn(2)], [turn(0xFE)]))
        #expect(isTurnedAlike([turn(0)], []))
        #expect(isTurnedAlike([], [turn(0)]))
    }

    @Test func `a turn, a mirror or a crop of one of them alone is not`() {
        for turns in [[turn(1)], [turn(2)], [turn(3)], [mirror(0)], [mirror(1)], [crop]] {
            #expect(!isTurnedAlike(turns, []), "\(turns)")
            #expect(!isTurnedAlike([], turns), "\(turns)")
        }
        #expect(!isTurnedAlike([turn(1)], [turn(3)]))
        #expect(!isTurnedAlike([mirror(0)], [mirror(1)]))
        #expect(!isTurnedAlike([mirror(0), turn(1)], [turn(1), mirror(0)]))
    }

    @Test func `each thumbnail is looked at, and no item that is none`() {
        #expect(!isTurnedAlike([turn(2)], [turn(2)], []))
        #expect(isTurnedAlike([turn(2)], [turn(2)], [turn(2)]))
        let picture = ("av01", [Sample.ispe(24, 16), AV1.av1C(), turn(2)], AV1.sequence(24, 16))
        let other = ("av01", [Sample.ispe(24, 16), AV1.av1C()], AV1.sequence(24, 16))
        let file = CodedFile.make([picture, other], references: [("cdsc", 2, [1])])
        #expect(ISOMediaThumbnail.isTurnedAlike(HeaderBytes(file)))
    }

    @Test func `a file that breaks off has none that is`() {
        let picture = ("av01", [Sample.ispe(24, 16), AV1.av1C()], AV1.sequence(24, 16))
        let file = CodedFile.make([picture, picture], references: [("thmb", 2, [1])])
        #expect(!ISOMediaThumbnail.isTurnedAlike(HeaderBytes(Array(file.prefix(60)))))
    }
}
