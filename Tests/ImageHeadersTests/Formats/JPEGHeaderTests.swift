// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite struct JPEGHeaderTests {
    private typealias Sample = SampleHeaders

    @Test func `size comes from the frame header`() throws {
        let header = try ImageHeader.parse(Sample.jpeg(width: 4_032, height: 3_024))
        var expected = ImageHeader(format: .jpeg, width: 4_032, height: 3_024)
        expected.components = 3
        #expect(header == expected)
    }

    @Test(arguments: [1, 3, 4] as [UInt8])
    func `components come from the frame header, and stay in the traits`(count: UInt8) throws {
        var file = Sample.jpeg()
        let frame = try #require(file.indices.first { file[$0...].starts(with: [0xFF, 0xC0]) })
        file[frame + 9] = count
        let header = try ImageHeader.parse(file)
        #expect(header.components == count)
        var kept = ImageHeader(format: .jpeg, width: header.width, height: header.height)
        #expect(kept.components == 0, "an older version has not counted them")
        kept.traits = header.traits
        #expect(kept.components == count)
    }

    @Test func `segments of any kind and fill bytes are walked over`() throws {
        let before =
            Sample.segment(0xE2, [UInt8](repeating: 0xFF, count: 65_000)) + Sample.segment(0xFE, [])
            + [0xFF, 0xFF, 0xFF] + Sample.segment(0xDB, [0xFF, 0xC0]).dropFirst() + [0x12, 0x34]
        #expect(try ImageHeader.parse(Sample.jpeg(before: before)).width == 640)
    }

    @Test func `baseline, extended, progressive and arithmetic frames can be decoded, others cannot`() throws
    {
        for marker in UInt8(0xC0)...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker) {
            let header = try ImageHeader.parse(Sample.jpeg(frame: marker))
            #expect(header.width == 640 && header.height == 480)
            #expect(header.isDecodable == [0xC0, 0xC1, 0xC2, 0xC9, 0xCA].contains(marker), "\(marker)")
        }
    }

    @Test(arguments: [2, 8, 12, 16])
    func `no other samples than those of 8 bits can be decoded`(bits: UInt8) throws {
        for marker: UInt8 in [0xC0, 0xC1, 0xC2, 0xC9] {
            var file = Sample.jpeg(frame: marker)
            let frame = try #require(file.indices.first { file[$0...].starts(with: [0xFF, marker]) })
            file[frame + 4] = bits
            #expect(try ImageHeader.parse(file).isDecodable == (bits == 8))
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 10, 255] as [UInt8])
    func `one, three and four components can be decoded`(count: UInt8) throws {
        for marker: UInt8 in [0xC0, 0xC2, 0xCA] {
            var file = Sample.jpeg(frame: marker)
            let frame = try #require(file.indices.first { file[$0...].starts(with: [0xFF, marker]) })
            file[frame + 9] = count
            #expect(try ImageHeader.parse(file).isDecodable == [1, 3, 4].contains(count))
        }
    }

    @Test func `a first scan without all components tells that others follow`() throws {
        #expect(try !ImageHeader.parse(Sample.jpeg()).isProgressive)
        #expect(try ImageHeader.parse(Sample.jpeg(frame: 0xC2)).isProgressive)
        #expect(try ImageHeader.parse(Sample.jpeg(scan: [1, 1, 0])).isProgressive)
    }

    @Test func `orientation comes from EXIF in either byte order, before or behind the frame`() throws {
        for orientation in 1...8 {
            for bigEndian in [false, true] {
                let exif = Sample.exifSegment(Sample.exif(orientation, bigEndian: bigEndian))
                #expect(try ImageHeader.parse(Sample.jpeg(before: exif)).orientation == orientation)
                #expect(try ImageHeader.parse(Sample.jpeg(after: exif)).orientation == orientation)
            }
        }
    }

    @Test func `the first EXIF counts, and other APP1 segments do not`() throws {
        let xmp = Sample.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8))
        let before = xmp + Sample.exifSegment(Sample.exif(6)) + Sample.exifSegment(Sample.exif(3))
        #expect(try ImageHeader.parse(Sample.jpeg(before: before)).orientation == 6)
    }

    @Test func `an orientation that is none is none`() throws {
        for value in [0, 9, 65_535] {
            let exif = Sample.exifSegment(Sample.exif(value))
            #expect(try ImageHeader.parse(Sample.jpeg(before: exif)).orientation == 1)
        }
    }

    @Test func `damaged EXIF damages no picture`() throws {
        let whole = Sample.exif(6)
        for length in 0..<whole.count - 6 {
            let exif = Sample.exifSegment(Array(whole.prefix(length)))
            #expect((1...8).contains(try ImageHeader.parse(Sample.jpeg(before: exif)).orientation))
        }
    }

    @Test func `no frame, no size or two frames are damage`() {
        let frame = Sample.segment(0xC0, [8, 0, 9, 0, 9, 1, 1, 0x11, 0])
        for bytes in [
            Sample.jpeg(width: 0), Sample.jpeg(height: 0), Sample.jpeg(before: frame),
            [0xFF, 0xD8, 0xFF, 0xD9],
            [0xFF, 0xD8, 0xFF, 0xDA, 0, 2], Array(Sample.jpeg().prefix(24)),
        ] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
        }
    }

    @Test func `what comes after the first scan is not looked at`() throws {
        let frame = Sample.segment(0xC0, [8, 0, 9, 0, 9, 1, 1, 0x11, 0])
        #expect(try ImageHeader.parse(Sample.jpeg() + frame).width == 640)
    }
}
