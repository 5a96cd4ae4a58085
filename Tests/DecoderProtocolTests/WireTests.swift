// SPDX-License-Identifier: Apache-2.0

@testable import DecoderProtocol
import ImageHeaders
import RandomInputs
import Recipes
import Testing

@Suite struct WireTests {
    private let job = WireJob(
        id: 0x0102_0304_0506_0708,
        header: ImageHeader(
            format: .heic, width: 4_032, height: 3_024, pages: 7, orientation: 6, hasAlpha: true),
        recipe: .webp(width: 800), defaults: EncoderDefaults(), inputLength: 1 << 40, outputLimit: 1 << 33,
        pixelLimit: 1 << 27, damaged: .show,
        watermark: .init(header: ImageHeader(format: .png, width: 3, height: 2), inputLength: 77))

    private let made = WireReply(
        id: 9,
        outcome: .success(
            Rendered(
                format: .webp, width: 800, height: 600, pages: 1, length: 31_415, decoding: 70_000,
                encoding: 9_000)))

    private let refusals: [ImagingFailure] = [
        .unavailable("no libheif"), .damaged("VipsJpeg: premature end of file"), .drawingRefused("no SVG"),
        .formatNotAllowed, .codingNotRead, .noSuchPage(pages: 3),
        .outputTooLarge(.bytes(5 << 30)), .cannotWrite("EFBIG"), .damaged(""), .outOfMemory("size == 2MB"),
        .encoderFailed("libwebp: error 9"),
    ]

    private let handshake = WireHandshake(
        engine: "libvips 8.14.1", process: 4_711, jail: ["no-core", "nice"])

    @Test func `every message means the same on the other side`() {
        #expect(WireJob(job.encoded) == job)
        #expect(WireReply(made.encoded) == made)
        #expect(WireHandshake(handshake.encoded) == handshake)
        for kind in WorkerKind.allCases {
            #expect(WireForkOrder(WireForkOrder(kind).encoded) == WireForkOrder(kind))
        }
        #expect(WireStart(WireStart().encoded) == WireStart())
        for process in [0, 1, Int32.max] {
            #expect(WireForkReply(WireForkReply(process: process).encoded) == WireForkReply(process: process))
            let refused = WireForkReply(process: 0, error: process)
            #expect(WireForkReply(refused.encoded) == refused)
        }
        for refusal in refusals {
            let reply = WireReply(id: .max, outcome: .failure(refusal))
            #expect(WireReply(reply.encoded) == reply)
        }
    }

    @Test func `a recipe that is not spelled canonically is no job`() throws {
        let bytes = job.encoded
        let spelling = Array("output=webp&w=800".utf8)
        let start = try #require(bytes.indices.first { bytes[$0...].starts(with: spelling) })
        var other = bytes
        other.replaceSubrange(start..<start + spelling.count, with: "w=800&output=webp".utf8)
        #expect(WireJob(bytes) == job)
        #expect(WireJob(other) == nil)
    }

    @Test func `the bytes are as documented`() {
        let reply = WireReply(id: 0x0102, outcome: .failure(.outputTooLarge(.bytes(3))))
        #expect(reply.encoded == [Wire.version, 4, 2, 1, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let handshake = WireHandshake(engine: "é", process: 258, jail: [])
        #expect(handshake.encoded == [Wire.version, 1, 2, 0, 0xC3, 0xA9, 2, 1, 0, 0, 0, 0, 0])
        #expect(WireForkOrder(.inspector).encoded == [Wire.version, 7, 2])
        #expect(WireForkOrder([Wire.version, 7, 3]) == nil)
        #expect(WireForkReply(process: 258, error: 11).encoded == [Wire.version, 8, 2, 1, 0, 0, 11, 0, 0, 0])
        #expect(WireStart().encoded == [Wire.version, 9])
    }

    @Test func `a message cut short, or with a byte too many, is no message`() {
        for bytes in [job.encoded, made.encoded, handshake.encoded] {
            for count in 0..<bytes.count { #expect(!isMessage(Array(bytes.prefix(count)))) }
            #expect(!isMessage(bytes + [0]))
        }
    }

    @Test func `a reply with numbers that nothing takes is none`() {
        func reply(_ change: (inout Rendered) -> Void) -> WireReply? {
            var rendered = Rendered(
                format: .webp, width: 800, height: 600, pages: 1, length: 31_415, decoding: 70_000,
                encoding: 9_000)
            change(&rendered)
            return WireReply(WireReply(id: 9, outcome: .success(rendered)).encoded)
        }
        #expect(reply { _ in } == made)
        // The claims of a process under an attacker's control are added to those of others.
        #expect(reply { $0.decoding = .max } == nil)
        #expect(reply { $0.encoding = .max } == nil)
        for side in [\Rendered.width, \.height, \.pages] {
            #expect(reply { $0[keyPath: side] = Int(UInt32.max) } == nil)
        }
    }

    @Test func `a message of another version or kind is none`() {
        var other = made.encoded
        other[0] = 1
        #expect(WireReply(other) == nil)
        #expect(WireReply(job.encoded) == nil)
        #expect(WireJob(made.encoded) == nil)
        #expect(WireHandshake(made.encoded) == nil)
    }

    @Test func `what is out of its range is refused`() {
        for change: (inout Rendered) -> Void in [{ $0.width = 0 }, { $0.pages = 0 }, { $0.length = 0 }] {
            guard case .success(var result) = made.outcome else { return }
            change(&result)
            #expect(WireReply(WireReply(id: 1, outcome: .success(result)).encoded) == nil)
        }
        var wrong = job
        wrong.header.orientation = 9
        #expect(WireJob(wrong.encoded) == nil)
        wrong = job
        wrong.defaults.gifEffort = 11
        #expect(WireJob(wrong.encoded) == nil)
        #expect(WireHandshake(WireHandshake(engine: "", process: 1, jail: []).encoded) == nil)
        #expect(WireHandshake(WireHandshake(engine: "e", process: 0, jail: []).encoded) == nil)
    }

    @Test func `words that are too long are cut between characters, and the message stays within its bound`()
    {
        for lead in 0..<4 {
            let long = String(repeating: "a", count: lead) + String(repeating: "€", count: 2_000)
            let reply = WireReply(id: 1, outcome: .failure(.damaged(long)))
            guard case .failure(.damaged(let words))? = WireReply(reply.encoded)?.outcome else {
                Issue.record("not read: \(lead)")
                return
            }
            #expect(long.hasPrefix(words))
            #expect((Wire.longestDetail - 2...Wire.longestDetail).contains(words.utf8.count))
        }
        let names = Array(repeating: String(repeating: "n", count: 99), count: Wire.longestList + 1)
        let engine = String(repeating: "e", count: Wire.longestEngine + 1)
        let full = WireHandshake(
            engine: engine, process: 1, jail: names, jailMissing: names, jailLacks: names)
        #expect(full.encoded.count <= Wire.longestMessage)
        #expect(WireHandshake(full.encoded)?.jail.count == Wire.longestList)
    }

    @Test func `any bytes are read without harm, and what is read is written back the same`() {
        var random = SeededRandom(for: "wire messages")
        let models =
            [job.encoded, made.encoded, handshake.encoded]
            + refusals.map {
                WireReply(id: 5, outcome: .failure($0)).encoded
            }
        for _ in 0..<40_000 {
            var bytes = models[Int(random.next() % UInt64(models.count))]
            for _ in 0...random.next() % 4 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if random.next() % 8 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            if let job = WireJob(bytes) { #expect(job.encoded == bytes) }
            if let handshake = WireHandshake(bytes) { #expect(handshake.encoded == bytes) }
            if let reply = WireReply(bytes), case .success = reply.outcome {
                #expect(reply.encoded == bytes)
            }
        }
    }

    private func isMessage(_ bytes: [UInt8]) -> Bool {
        WireJob(bytes) != nil || WireReply(bytes) != nil || WireHandshake(bytes) != nil
            || WireForkOrder(bytes) != nil || WireForkReply(bytes) != nil || WireStart(bytes) != nil
    }

}

extension Recipe {
    fileprivate static func webp(width: Int) -> Recipe {
        var recipe = Recipe()
        recipe.width = .pixels(width)
        recipe.output = .format(.webp)
        return recipe
    }
}
