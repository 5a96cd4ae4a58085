// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// Inspector → daemon: a finding. Everything that is read here is checked against the ranges of the parsers
/// themselves, so that an inspector under an attacker's control can lie about a picture, but about nothing
/// else.
package struct WireFinding: WireMessage, Hashable {
    /// The question's id.
    package var id: UInt64
    /// The answer, or the reason why there is none.
    package var finding: Finding

    /// - Parameter id: the question's id.
    package init(id: UInt64, finding: Finding) {
        self.id = id
        self.finding = finding
    }

    package var encoded: [UInt8] {
        var writer = WireWriter(.finding)
        writer.put(id)
        switch finding {
        case .header(let header):
            writer.put(UInt8(1))
            writer.put(header)
        case .details(let details):
            writer.put(UInt8(2))
            writer.put(details)
        case .description(let header, let details):
            writer.put(UInt8(10))
            writer.put(header)
            writer.put(details)
        case .notAnImage: writer.put(UInt8(3))
        case .damaged: writer.put(UInt8(4))
        case .unreadable: writer.put(UInt8(5))
        case .unpacked(let length):
            writer.put(UInt8(6))
            writer.put(length, as: UInt64.self)
        case .notPacked: writer.put(UInt8(7))
        case .tooLarge: writer.put(UInt8(8))
        case .cannotWrite: writer.put(UInt8(9))
        }
        return writer.bytes
    }

    package init?(_ message: [UInt8]) {
        guard case (.finding, var reader)? = WireReader.open(message, limit: Wire.longestFinding),
            let id = reader.number(UInt64.self), let code = reader.number(UInt8.self)
        else { return nil }
        let finding: Finding? =
            switch code {
            case 1: reader.possibleHeader().map { .header($0) }
            case 2: reader.details().map { .details($0) }
            case 3: .notAnImage
            case 4: .damaged
            case 5: .unreadable
            case 6: reader.integer(UInt64.self, in: 0...Int.max).map { .unpacked(length: $0) }
            case 7: .notPacked
            case 8: .tooLarge
            case 9: .cannotWrite
            case 10: reader.description()
            default: nil
            }
        guard let finding, reader.isAtEnd else { return nil }
        self.init(id: id, finding: finding)
    }
}

extension WireWriter {
    fileprivate mutating func put(_ details: ImageDetails) {
        put(details.space.rawValue, limit: Wire.longestName)
        put(details.depth.rawValue, limit: Wire.longestName)
        put(details.channels, as: UInt8.self)
        put(details.hasProfile)
        put(details.profile ?? "", limit: Wire.longestDetail)
        put(details.density ?? 0, as: UInt32.self)
        put(details.chromaSubsampling ?? "", limit: Wire.longestName)
        put(details.isProgressive)
        // For these two, 0 means none, and other numbers are one more than the value.
        put(details.paletteBits.map { $0 + 1 } ?? 0, as: UInt16.self)
        put(details.loop.map { $0 + 1 } ?? 0, as: UInt32.self)
        let delays = details.delays.prefix(ImageDetails.mostDelays)
        put(delays.count, as: UInt16.self)
        for delay in delays { put(delay, as: UInt32.self) }
    }
}

extension WireReader {
    fileprivate mutating func possibleHeader() -> ImageHeader? {
        header().flatMap { $0.isPossible ? $0 : nil }
    }

    fileprivate mutating func description() -> Finding? {
        guard let header = possibleHeader(), let details = details() else { return nil }
        return .description(header, details)
    }

    fileprivate mutating func details() -> ImageDetails? {
        var details = ImageDetails()
        guard let space = text(limit: Wire.longestName).flatMap(ImageDetails.Space.init(rawValue:)),
            let depth = text(limit: Wire.longestName).flatMap(ImageDetails.Depth.init(rawValue:)),
            let channels = integer(UInt8.self, in: 0...255),
            let hasProfile = flag(),
            let profile = text(limit: Wire.longestDetail),
            let density = integer(UInt32.self, in: 0...ImageDetails.highestDensity),
            let subsampling = text(limit: Wire.longestName),
            let isProgressive = flag(),
            let paletteBits = integer(UInt16.self, in: 0...256),
            let loop = integer(UInt32.self, in: 0...65_537),
            let count = integer(UInt16.self, in: 0...ImageDetails.mostDelays)
        else { return nil }
        details.space = space
        details.depth = depth
        details.channels = channels
        // Also removes characters that a profile's name may not have.
        if hasProfile { details.setProfile(profile.isEmpty ? nil : profile) }
        if density > 0 { details.density = density }
        guard subsampling.isEmpty || ImageDetails.subsamplings.contains(subsampling) else { return nil }
        if !subsampling.isEmpty { details.chromaSubsampling = subsampling }
        details.isProgressive = isProgressive
        if paletteBits > 0 { details.paletteBits = paletteBits - 1 }
        if loop > 0 { details.loop = loop - 1 }
        details.delays.reserveCapacity(count)
        for _ in 0..<count {
            guard let delay = integer(UInt32.self, in: 0...ImageDetails.longestDelay) else { return nil }
            details.delays.append(delay)
        }
        return details
    }
}
