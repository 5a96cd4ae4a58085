// SPDX-License-Identifier: Apache-2.0

internal import DecoderPool
internal import DecoderProtocol
internal import HTTPCaching
internal import ImageHeaders
internal import Stores

/// A message means the same to both sides.
enum WireTarget {
    static func run(_ bytes: [UInt8]) {
        if let job = WireJob(bytes) { expect(WireJob(job.encoded) == job, "a job survives its bytes") }
        if let reply = WireReply(bytes) {
            expect(WireReply(reply.encoded) == reply, "a reply survives its bytes")
        }
        if let handshake = WireHandshake(bytes) {
            expect(WireHandshake(handshake.encoded) == handshake, "a handshake survives its bytes")
        }
        if let forked = WireForkReply(bytes) {
            expect(WireForkReply(forked.encoded) == forked, "a process id survives its bytes")
        }
        if let question = WireQuestion(bytes) {
            expect(WireQuestion(question.encoded) == question, "a question survives its bytes")
        }
        if let found = WireFinding(bytes) {
            expect(WireFinding(found.encoded) == found, "a finding survives its bytes")
        }
    }
}

/// Any bytes are a picture's header or one of two errors.
enum HeaderTarget {
    static func run(_ bytes: [UInt8]) {
        _ = ISOMediaGrey.isLimited(HeaderBytes(bytes))
        let turn = ISOMediaTurn.leftToUs(HeaderBytes(bytes))
        expect((1...8).contains(turn?.orientation ?? 1), "a turn is one of EXIF's")
        let amended = (turn?.places ?? []) + ISOMediaRange.misstated(HeaderBytes(bytes))
        expect(amended.allSatisfy(bytes.indices.contains), "what is amended is in the file")
        let described = [
            ISOMediaColours.read(HeaderBytes(bytes)), PNGColours.read(HeaderBytes(bytes)),
            JXLColours.read(HeaderBytes(bytes)),
        ]
        expect(
            described.allSatisfy { $0.map { (8...16).contains($0.depth) } ?? true },
            "a depth is one of samples")
        _ = SVGScale.isFixed(HeaderBytes(bytes))
        expect(SVGPictures.pixels(in: bytes.span) >= 0, "pictures in a drawing add up")
        guard let header = try? ImageHeader.parse(bytes) else { return }
        let sides = 0...Int(Int32.max)
        expect(sides.contains(header.width) && sides.contains(header.height), "sides fit the decoders")
        expect((1...8).contains(header.orientation) && header.pages >= 1, "a header is within its ranges")
        for page in -2...2 {
            let shown = TIFFPages.header(of: page, in: header, HeaderBytes(bytes))
            expect(shown?.isPossible ?? true, "a page's header is within its ranges")
        }
        let details = ImageDetails.parse(HeaderBytes(bytes), header: header)
        expect(details.delays.count <= 10_000 && details.profile?.count ?? 0 <= 64, "details are bounded")
        let rights = PictureRights.read(HeaderBytes(bytes), header.format)
        for line in [rights.artist, rights.copyright].compactMap(\.self) {
            expect((1...PictureRights.longest).contains(line.utf8.count), "a line of rights is bounded")
            expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 }, "a line of rights is one line")
        }
    }
}

/// A damaged file is no file; a sound one is what was written.
enum StoredTarget {
    static func run(_ bytes: [UInt8]) {
        if let footer = bytes.withUnsafeBytes({ Footer($0) }) {
            expect(footer.bytes.withUnsafeBytes { Footer($0) } == footer, "a footer survives its bytes")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let fields = StoredFields(serialized: text) {
            expect(StoredFields(serialized: fields.serialized) == fields, "fields survive being kept")
            _ = fields.tags
        }
    }
}
