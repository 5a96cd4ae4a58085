// SPDX-License-Identifier: Apache-2.0

/// Parts of a file, joined to one source.
struct JoinedParts: HeaderSource {
    private let source: any HeaderSource
    private let parts: [Range<Int>]
    let length: Int

    /// - Parameter parts: ranges within the source.
    init(_ source: any HeaderSource, _ parts: [Range<Int>]) {
        (self.source, self.parts) = (source, parts)
        // Parts may overlap, so their sum may exceed the file's length, and overflow.
        length = parts.reduce(0) { sum, part in
            let (next, isTooMuch) = sum.addingReportingOverflow(part.count)
            return isTooMuch ? .max : next
        }
    }

    func read(at offset: Int, count: Int) -> [UInt8] {
        var (bytes, skipped): ([UInt8], Int) = ([], offset)
        for part in parts where bytes.count < count {
            guard skipped < part.count else {
                skipped -= part.count
                continue
            }
            let wanted = min(count - bytes.count, part.count - skipped)
            let read = source.read(at: part.lowerBound + skipped, count: wanted)
            bytes += read
            // Bytes behind a failed read would be at the wrong place.
            guard read.count == wanted else { break }
            skipped = 0
        }
        return bytes
    }
}
