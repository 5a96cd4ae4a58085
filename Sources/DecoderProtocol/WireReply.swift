// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
package import Recipes

/// Decoder → daemon: the result of a job.
package struct WireReply: WireMessage, Hashable {
    /// The job's number.
    package var id: UInt64
    /// The measures of the rendition, or the refusal.
    package var outcome: Result<Rendered, ImagingFailure>

    /// - Parameter id: the job's number.
    package init(id: UInt64, outcome: Result<Rendered, ImagingFailure>) {
        self.id = id
        self.outcome = outcome
    }

    package var encoded: [UInt8] {
        switch outcome {
        case .success(let result):
            var writer = WireWriter(.made)
            writer.put(id)
            writer.put(result)
            return writer.bytes
        case .failure(let refusal):
            var writer = WireWriter(.refused)
            writer.put(id)
            writer.put(refusal)
            return writer.bytes
        }
    }

    package init?(_ message: [UInt8]) {
        guard case (let kind, var reader)? = WireReader.open(message), let id = reader.number(UInt64.self)
        else { return nil }
        self.id = id
        switch kind {
        case .made:
            guard let result = reader.result() else { return nil }
            outcome = .success(result)
        case .refused:
            guard let refusal = reader.refusal() else { return nil }
            outcome = .failure(refusal)
        case .handshake, .job, .question, .finding, .fork, .forked, .go: return nil
        }
        guard reader.isAtEnd else { return nil }
    }
}

extension WireWriter {
    fileprivate mutating func put(_ result: Rendered) {
        put(result.format.rawValue)
        put(result.width, as: UInt32.self)
        put(result.height, as: UInt32.self)
        put(result.pages, as: UInt32.self)
        put(result.length, as: UInt64.self)
        put(result.decoding, as: UInt64.self)
        put(result.encoding, as: UInt64.self)
        // 0 means no quality.
        put(result.quality ?? 0, as: UInt8.self)
        put(result.tries, as: UInt8.self)
        put(result.isPlanar)
    }

    /// Writes a code, a limit or a count (0 if there is none) and words (empty if there are none).
    fileprivate mutating func put(_ refusal: ImagingFailure) {
        let (code, limit, detail): (UInt8, Int, String) =
            switch refusal {
            case .unavailable(let words): (1, 0, words)
            case .damaged(let words): (2, 0, words)
            case .formatNotAllowed: (3, 0, "")
            case .outputTooLarge(.bytes(let limit)): (4, limit, "")
            case .cannotWrite(let words): (5, 0, words)
            case .drawingRefused(let words): (6, 0, words)
            case .outputTooLarge(.side(let limit)): (7, limit, "")
            case .outputTooLarge(.pixels(let limit)): (8, limit, "")
            case .outputTooLarge(.textPixels(let limit)): (9, limit, "")
            case .outputTooLarge(.embeddedPixels(let limit)): (10, limit, "")
            case .outputTooLarge(.dataURLBytes(let limit)): (11, limit, "")
            case .codingNotRead: (12, 0, "")
            case .noSuchPage(let pages): (13, pages, "")
            case .outOfMemory(let words): (14, 0, words)
            case .encoderFailed(let words): (15, 0, words)
            }
        put(code)
        put(limit, as: UInt64.self)
        put(detail, limit: Wire.longestDetail)
    }
}

extension WireReader {
    fileprivate mutating func result() -> Rendered? {
        guard let format = number(UInt8.self).flatMap(ImageFormat.init(rawValue:)),
            let width = integer(UInt32.self, in: 1...Int(Int32.max)),
            let height = integer(UInt32.self, in: 1...Int(Int32.max)),
            let pages = integer(UInt32.self, in: 1...Int(Int32.max)),
            let length = integer(UInt64.self, in: 1...Int.max),
            let decoding = integer(UInt64.self, in: 0...Wire.longestStage),
            let encoding = integer(UInt64.self, in: 0...Wire.longestStage),
            let quality = integer(UInt8.self, in: 0...100),
            let tries = integer(UInt8.self, in: 0...255), let isPlanar = flag()
        else { return nil }
        var result = Rendered(
            format: format, width: width, height: height, pages: pages, length: length, decoding: decoding,
            encoding: encoding, quality: quality == 0 ? nil : quality, tries: tries)
        result.isPlanar = isPlanar
        return result
    }

    fileprivate mutating func refusal() -> ImagingFailure? {
        guard let code = number(UInt8.self),
            let limit = integer(UInt64.self, in: 0...Int.max),
            let detail = text(limit: Wire.longestDetail)
        else { return nil }
        return switch code {
        case 1: .unavailable(detail)
        case 2: .damaged(detail)
        case 3: .formatNotAllowed
        case 4: .outputTooLarge(.bytes(limit))
        case 5: .cannotWrite(detail)
        case 6: .drawingRefused(detail)
        case 7: .outputTooLarge(.side(limit))
        case 8: .outputTooLarge(.pixels(limit))
        case 9: .outputTooLarge(.textPixels(limit))
        case 10: .outputTooLarge(.embeddedPixels(limit))
        case 11: .outputTooLarge(.dataURLBytes(limit))
        case 12: .codingNotRead
        case 13: .noSuchPage(pages: limit)
        case 14: .outOfMemory(detail)
        case 15: .encoderFailed(detail)
        default: nil
        }
    }
}
