// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import RandomInputs
import Testing

private typealias Sample = SampleHeaders

@Suite struct ISOMediaReferencesTests {
    private func item(_ id: UInt8, _ type: String) -> [UInt8] {
        Sample.box("infe", [2, 0, 0, 0, 0, id, 0, 0] + Array(type.utf8) + [0])
    }

    /// Item 1 is the picture, 2 its alpha, 3 a gain map, 4 the tone-mapped picture, and 5 EXIF.
    private func file(version: UInt8 = 0, _ references: [UInt8]...) -> [UInt8] {
        let other = Sample.box("auxC", [0, 0, 0, 0] + Array("urn:other\0".utf8))
        let ipco = Sample.box("ipco", Sample.ispe(16, 16) + Sample.alphaProperty + other)
        let associations: [UInt8] = [0, 1, 1, 1, 0, 2, 1, 2, 0, 3, 1, 3]
        let ipma = Sample.box("ipma", [0, 0, 0, 0] + Sample.big(3, 4) + associations)
        let types = ["hvc1", "hvc1", "hvc1", "tmap", "Exif"]
        let entries = types.enumerated().flatMap { item(UInt8($0.offset + 1), $0.element) }
        let iinf = Sample.box("iinf", [0, 0, 0, 0, 0, 5] + entries)
        let iref = Sample.box("iref", [version, 0, 0, 0] + references.flatMap { $0 })
        let pitm = Sample.box("pitm", [0, 0, 0, 0, 0, 1])
        let boxes: [[UInt8]] = [[0, 0, 0, 0], pitm, iinf, Sample.box("iprp", ipco + ipma), iref]
        return Sample.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1".utf8))
            + Sample.box("meta", boxes.flatMap { $0 })
    }

    private func reference(_ type: String, from source: Int, to targets: Int..., size: Int = 2) -> [UInt8] {
        Sample.box(
            type,
            Sample.big(source, size) + Sample.big(targets.count, 2)
                + targets.flatMap { Sample.big($0, size) })
    }

    /// The types of the references that are found.
    private func needless(_ file: [UInt8]) -> [String] {
        ISOMediaReferences.needless(HeaderBytes(file)).map { place in
            String(decoding: file[place..<place + 4], as: UTF8.self)
        }
    }

    @Test func `what belongs to one picture is needed`() {
        let usual = [
            reference("cdsc", from: 5, to: 1), reference("auxl", from: 2, to: 1),
            reference("auxl", from: 3, to: 1), reference("thmb", from: 3, to: 1),
            reference("dimg", from: 4, to: 1, 3),
        ]
        #expect(needless(file(usual.flatMap { $0 })).isEmpty)
        #expect(needless(file()).isEmpty)
    }

    @Test func `what belongs to two items is not, if it is no alpha`() {
        #expect(needless(file(reference("cdsc", from: 5, to: 1, 4))) == ["cdsc"])
        #expect(needless(file(reference("thmb", from: 3, to: 1, 4))) == ["thmb"])
        #expect(needless(file(reference("auxl", from: 3, to: 1, 4))) == ["auxl"])
        #expect(needless(file(reference("auxl", from: 2, to: 1, 4))).isEmpty)
        let all = file(
            reference("auxl", from: 3, to: 1, 4), reference("dimg", from: 4, to: 1, 3),
            reference("cdsc", from: 5, to: 1, 4))
        #expect(needless(all) == ["auxl", "cdsc"])
    }

    @Test func `what belongs to a tone map alone is not`() {
        #expect(needless(file(reference("cdsc", from: 5, to: 4))) == ["cdsc"])
        #expect(needless(file(reference("auxl", from: 2, to: 4))) == ["auxl"])
    }

    @Test func `numbers of items may have four bytes`() {
        let references = file(
            version: 1, reference("cdsc", from: 5, to: 1, size: 4),
            reference("auxl", from: 3, to: 1, 4, size: 4))
        #expect(needless(references) == ["auxl"])
    }

    @Test func `what is cut or spoilt has some answer within the file`() {
        var random = SeededRandom(for: "spoilt references")
        let whole = file(reference("cdsc", from: 5, to: 1, 4), reference("auxl", from: 3, to: 1, 4))
        for _ in 0..<2_000 {
            var bytes = whole
            for _ in 0..<Int.random(in: 0...3, using: &random) {
                bytes[Int.random(in: 24..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            bytes = Array(bytes.prefix(Int.random(in: 24...bytes.count, using: &random)))
            for place in ISOMediaReferences.needless(HeaderBytes(bytes)) {
                #expect(place >= 0 && place + 4 <= bytes.count, "\(bytes)")
            }
        }
    }
}
