// SPDX-License-Identifier: Apache-2.0
//
// ITU-T T.81 §B.2.2 (frame header), ICC.1 §B.4 (profiles in APP2).

extension ImageDetails {
    mutating func readJPEG(_ reader: inout HeaderReader) throws(ImageHeaderError) {
        if let density = JPEGDensity.read(&reader) { setDensity(density.across) }
        var offset = 2
        while true {
            let segment = try JPEGHeader.nextSegment(&reader, from: offset)
            let payload = segment.payload
            switch segment.marker {
            case _ where segment.isFrame: try readFrame(&reader, segment)
            case 0xE2 where !hasProfile:
                // The profile's first part has the table of tags, and in practice the name.
                guard try reader.has("ICC_PROFILE\0", at: payload.lowerBound), payload.count > 14 else {
                    break
                }
                setProfile(
                    ICCDescription.read(&reader, in: (payload.lowerBound + 14)..<payload.upperBound))
            case 0xDA, 0xD9: return
            default: break
            }
            offset = payload.upperBound
        }
    }

    private mutating func readFrame(
        _ reader: inout HeaderReader, _ segment: JPEGHeader.Segment
    ) throws(ImageHeaderError) {
        let start = segment.payload.lowerBound
        // Progressive, in Huffman and arithmetic coding.
        isProgressive = [0xC2, 0xC6, 0xCA, 0xCE].contains(segment.marker)
        let count = Int(try reader.byte(at: start + 5))
        setChannels(count, bits: Int(try reader.byte(at: start)))
        if count == 4 { space = .cmyk }
        guard count >= 3 else { return }
        let luma = try reader.byte(at: start + 7)
        let chroma = try reader.byte(at: start + 10)
        let ratio = (Int(luma >> 4) / max(1, Int(chroma >> 4)), Int(luma & 15) / max(1, Int(chroma & 15)))
        chromaSubsampling = Self.subsampling[ratio.0]?[ratio.1].map { count == 4 ? $0 + ":4" : $0 }
    }

    /// Names by the ratio of luma to chroma resolution, across and then down.
    private static let subsampling = [
        1: [1: "4:4:4", 2: "4:4:0"], 2: [1: "4:2:2", 2: "4:2:0"], 4: [1: "4:1:1", 2: "4:1:0"],
    ]

    /// All values of `chromaSubsampling`; `:4` marks a fourth component, black.
    package static let subsamplings = Set(
        subsampling.values.flatMap(\.values).flatMap { [$0, $0 + ":4"] })
}
