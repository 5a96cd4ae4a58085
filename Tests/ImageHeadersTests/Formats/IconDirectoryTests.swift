// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

private typealias Sample = SampleHeaders

/// The header of a bitmap in an icon, and a few bytes more.
private func bitmap(_ width: Int, _ height: Int, bits: Int = 32) -> [UInt8] {
    Sample.little(40, 4) + Sample.little(width, 4) + Sample.little(height, 4) + Sample.little(1, 2)
        + Sample.little(bits, 2) + [UInt8](repeating: 0, count: 24)
}

/// `sides`: the sides of each picture in the directory.
private func icon(_ pictures: [[UInt8]], sides: [(UInt8, UInt8)] = [], count: Int? = nil) -> [UInt8] {
    var (directory, bodies) = ([0, 0, 1, 0] + Sample.little(count ?? pictures.count, 2), [UInt8]())
    for (index, picture) in pictures.enumerated() {
        let (width, height) = index < sides.count ? sides[index] : (16, 16)
        directory += [width, height, 0, 0, 1, 0, 32, 0] + Sample.little(picture.count, 4)
        directory += Sample.little(6 + pictures.count * 16 + bodies.count, 4)
        bodies += picture
    }
    return directory + bodies
}

@Suite struct IconDirectoryTests {
    @Test(arguments: [(0, 0), (16, 16), (255, 1)] as [(UInt8, UInt8)])
    func `a picture has the size that it says itself`(width: UInt8, height: UInt8) throws {
        for (picture, side) in [
            (bitmap(48, 96), 48), (bitmap(48, -96), 48), (bitmap(256, 512), 256),
            (Sample.png(width: 512, height: 512), 512),
        ] {
            let header = try ImageHeader.parse(icon([picture], sides: [(width, height)]))
            #expect(header == ImageHeader(format: .ico, width: side, height: side, hasAlpha: true))
        }
    }

    @Test func `an old bitmap has sides of 16 bits`() throws {
        let old =
            Sample.little(12, 4) + Sample.little(20, 2) + Sample.little(60, 2) + Sample.little(1, 2)
            + Sample.little(4, 2) + [UInt8](repeating: 0, count: 20)
        let header = try ImageHeader.parse(icon([old]))
        #expect(header == ImageHeader(format: .ico, width: 20, height: 30, hasAlpha: true))
    }

    @Test func `the header tells the size of the largest picture, and how many there are`() throws {
        let header = try ImageHeader.parse(icon([bitmap(16, 32), bitmap(64, 128), bitmap(32, 64)]))
        #expect(header == ImageHeader(format: .ico, width: 64, height: 64, pages: 3, hasAlpha: true))
    }

    @Test func `of pictures of one size that of the most bits counts, then the first`() throws {
        let file = icon([
            bitmap(16, 32, bits: 4), bitmap(16, 32, bits: 24), bitmap(8, 16, bits: 32),
            bitmap(16, 32, bits: 24),
        ])
        let directory = try IconDirectory(HeaderBytes(file))
        #expect(directory.largest == directory.pictures[1])
        let known = directory.pictures.compactMap(\.self)
        #expect(IconDirectory.smallest(known) == directory.pictures[2])
        #expect(IconDirectory.smallest([known[0], known[1], known[3]]) == directory.pictures[1])
        #expect(IconDirectory.smallest([]) == nil && IconDirectory.largest([]) == nil)
    }

    @Test func `an entry that leads nowhere keeps its number`() throws {
        var file = icon([bitmap(16, 32), bitmap(32, 64), bitmap(0, 4), bitmap(8, 16)])
        file[18 + 16] = 255
        file[18 + 17] = 255
        let directory = try IconDirectory(HeaderBytes(file))
        #expect(directory.pictures.map { $0?.size.width } == [16, nil, nil, 8])
    }

    @Test func `an icon without a picture is damaged`() {
        let far = [0, 0, 1, 0, 1, 0] + [UInt8](repeating: 255, count: 16)
        for file in [icon([]), icon([bitmap(0, 2)]), icon([bitmap(3, 1)]), far, Array(far.prefix(14))] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(file) }
        }
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(icon([bitmap(8, 16)], count: 9)) }
    }

    @Test func `only so many pictures are looked at`() throws {
        let file = icon((1...300).map { bitmap($0, 2 * $0) })
        let header = try ImageHeader.parse(file)
        #expect(header == ImageHeader(format: .ico, width: 256, height: 256, pages: 300, hasAlpha: true))
    }
}
