// SPDX-License-Identifier: Apache-2.0

/// The gain map of an Ultra HDR JPEG: a second JPEG behind the end of the picture, which says how much brighter each part of
/// the picture may be shown.
package struct GainMap {
    /// The map as a JPEG file that carries its own terms.
    let file: [UInt8]
    /// True if the map has one channel for all colours, and so holds for any primaries.
    let isLuminance: Bool

    /// - Parameter picture: the map as a JPEG by our own encoder.
    init(_ terms: GainMapTerms, picture: UnsafeRawBufferPointer, isGrey: Bool) {
        isLuminance = isGrey && terms.channels.count == 1
        let place = JPEGSegments.behindJFIF(picture)
        file =
            picture[..<place] + JPEGSegments.write(0xE1, terms.xmp)
            + JPEGSegments.write(0xE2, terms.iso) + picture[place...]
    }

    /// Finds the gain map of a file; nil if none is described by Adobe's terms or by ISO 21496-1.
    package static func find(in file: UnsafeRawBufferPointer) -> (place: Range<Int>, terms: GainMapTerms)? {
        for place in places(in: file) {
            let map = UnsafeRawBufferPointer(rebasing: file[place])
            if let terms = terms(of: map) { return (place, terms) }
        }
        return nil
    }

    /// The most XMP segments that are read in one file; one is usual.
    private static let mostPackets = 4

    /// The pictures behind the first, by the multi-picture index or else by the XMP directory, whose last entry ends at the end of
    /// the file. Programs that cut off a motion photo's video leave its entry, so the map is looked for at the end as well.
    private static func places(in file: UnsafeRawBufferPointer) -> [Range<Int>] {
        let segments = JPEGSegments.all(file)
        let index = segments.first {
            $0.marker == 0xE2 && file[$0.payload].starts(with: MultiPictureIndex.name)
        }
        let places = index.map { MultiPictureIndex.others(file, $0.payload) } ?? []
        guard places.isEmpty else { return places }
        let names = GainMapNames()
        let packets = segments.filter {
            $0.marker == 0xE1 && file[$0.payload].starts(with: GainMapTerms.xmpName)
        }
        for segment in packets.prefix(mostPackets) {
            let text = file[segment.payload.dropFirst(GainMapTerms.xmpName.count)]
            try? XMLReader.read(UnsafeRawBufferPointer(rebasing: text), to: names)
        }
        guard let length = names.mapLength, length > 0 else { return [] }
        let ends = [file.count - names.lengthBehindMap, file.count].filter { $0 > length }
        return ends.map { $0 - length..<$0 }
    }

    private static func terms(of map: UnsafeRawBufferPointer) -> GainMapTerms? {
        let all = JPEGSegments.all(map)
        func segments(_ marker: UInt8, _ name: [UInt8]) -> [ArraySlice<UInt8>] {
            all.filter { $0.marker == marker && map[$0.payload].starts(with: name) }
                .prefix(mostPackets).map { Array(map[$0.payload])[name.count...] }
        }
        for segment in segments(0xE2, GainMapTerms.isoName) {
            if let terms = GainMapTerms(iso: segment) { return terms }
        }
        for segment in segments(0xE1, GainMapTerms.xmpName) {
            if let terms = GainMapTerms(xmp: segment) { return terms }
        }
        return nil
    }
}
