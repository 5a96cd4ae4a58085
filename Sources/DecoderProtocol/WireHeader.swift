// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

extension WireWriter {
    mutating func put(_ header: ImageHeader) {
        put(header.format.rawValue)
        put(header.width, as: UInt32.self)
        put(header.height, as: UInt32.self)
        put(header.pages, as: UInt32.self)
        put(header.orientation, as: UInt8.self)
        put(header.traits.rawValue)
    }
}

extension WireReader {
    mutating func header() -> ImageHeader? {
        guard let format = number(UInt8.self).flatMap(ImageFormat.init(rawValue:)),
            let width = integer(UInt32.self, in: 0...Int(UInt32.max)),
            let height = integer(UInt32.self, in: 0...Int(UInt32.max)),
            let pages = integer(UInt32.self, in: 0...Int(UInt32.max)),
            let orientation = integer(UInt8.self, in: 1...8),
            let traits = integer(UInt16.self, in: 0...Int(ImageHeader.Traits.all.rawValue))
        else { return nil }
        var header = ImageHeader(
            format: format, width: width, height: height, pages: pages, orientation: orientation)
        header.traits = ImageHeader.Traits(rawValue: UInt16(clamping: traits))
        return header
    }
}
