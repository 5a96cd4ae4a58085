// SPDX-License-Identifier: Apache-2.0

/// The gain map of an Ultra HDR JPEG: a second JPEG behind the picture's end, that tells how much brighter each part of it may
/// be shown.
package struct GainMap {
    let terms: GainMapTerms
    /// Says of itself what it means.
    let file: [UInt8]
    /// One number for all colours, so that it holds whatever primaries these have.
    let isLuminance: Bool

    /// - Parameter picture: the map as a JPEG, by our own encoder.
    init(_ terms: GainMapTerms, picture: UnsafeRawBufferPointer, isGrey: Bool) {
        self.terms = terms
        isLuminance = isGrey && terms.channels.count == 1
        let place = JPEGSegments.behindJFIF(picture)
        file =
            picture[..<place] + JPEGSegments.write(0xE1, terms.xmp)
            + JPEGSegments.write(0xE2, terms.iso) + picture[place...]
    }

    /// Where a file's map is, and what it means; nil if it has none that is told of by Adobe's terms or by ISO 21496-1.
    package static func find(in file: UnsafeRawBufferPointer) -> (place: Range<Int>, terms: GainMapTerms)? {
        for place in places(in: file) {
            let map = UnsafeRawBufferPointer(rebasing: file[place])
            if let terms = terms(of: map) { return (place, terms) }
        }
        return nil
    }

    /// Segments of one kind that are read in one file: one is usual.
    private static let mostPackets = 4

    /// By the multi-picture index or else by the directory, whose last picture ends where the file does.
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
        guard let length = names.mapLength, length > 0, length < file.count else { return [] }
        return [file.count - length..<file.count]
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
