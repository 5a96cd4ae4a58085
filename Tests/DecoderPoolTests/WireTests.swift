// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import HTTPSemantics
import ImageHeaders
import Jail
import Kernel
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

    private let refusals: [DecoderRefusal] = [
        .unavailable("no libheif"), .damaged("VipsJpeg: premature end of file"), .formatNotAllowed,
        .outputTooLarge(limit: 5 << 30), .cannotWrite("EFBIG"), .damaged(""),
    ]

    private let handshake = WireHandshake(
        engine: "libvips 8.14.1", process: 4_711, jail: ["no-core", "nice"])

    @Test func `every message means the same on the other side`() {
        #expect(WireJob(job.encoded) == job)
        #expect(WireReply(made.encoded) == made)
        #expect(WireHandshake(handshake.encoded) == handshake)
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
        let reply = WireReply(id: 0x0102, outcome: .failure(.outputTooLarge(limit: 3)))
        #expect(reply.encoded == [3, 4, 2, 1, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        let handshake = WireHandshake(engine: "é", process: 258, jail: [])
        #expect(handshake.encoded == [3, 1, 2, 0, 0xC3, 0xA9, 2, 1, 0, 0, 0, 0, 0])
    }

    @Test func `a message cut short, or with a byte too many, is no message`() {
        for bytes in [job.encoded, made.encoded, handshake.encoded] {
            for count in 0..<bytes.count { #expect(!isMessage(Array(bytes.prefix(count)))) }
            #expect(!isMessage(bytes + [0]))
        }
    }

    private let findings: [Finding] = [
        .notAnImage, .damaged, .unreadable,
        .header(
            ImageHeader(
                format: .gif, width: 1 << 31 - 1, height: 1, pages: 77, orientation: 8, hasAlpha: true,
                isDecodable: false, isProgressive: true)),
        .header(ImageHeader(format: .svg, width: 0, height: 0, hasAlpha: true)),
        .details(ImageDetails()),
        .unpacked(length: 0), .unpacked(length: .max), .notPacked, .tooLarge, .cannotWrite,
    ]

    private var fullDetails: ImageDetails {
        var details = ImageDetails()
        details.setProfile("Display P3")
        (details.space, details.depth, details.channels) = (.cmyk, .float, 255)
        (details.density, details.chromaSubsampling, details.isProgressive) = (1_000_000, "4:2:0:4", true)
        (details.paletteBits, details.loop) = (0, 65_536)
        details.delays = (0..<ImageDetails.mostDelays).map { ImageDetails.longestDelay - $0 }
        return details
    }

    @Test func `a question and its finding mean the same on the other side`() {
        let header = ImageHeader(format: .jxl, width: 0, height: 0)
        let longest = ImageHeader(format: .gif, width: 1 << 31 - 1, height: 1 << 31 - 1, pages: 1 << 31 - 1)
        for question in [
            InspectorQuestion.header, .details(header), .description, .unpack(.gzip, limit: 0),
            .unpack(.deflate, limit: .max),
        ] {
            let asked = WireQuestion(id: 5, question: question, inputLength: 1 << 40)
            #expect(WireQuestion(asked.encoded) == asked)
            #expect(WireQuestion(asked.encoded + [0]) == nil)
        }
        for finding in findings + [.details(fullDetails), .description(longest, fullDetails)] {
            let found = WireFinding(id: .max, finding: finding)
            #expect(WireFinding(found.encoded) == found)
            #expect(WireFinding(found.encoded + [0]) == nil)
            #expect(found.encoded.count <= Wire.longestFinding)
        }
        let bytes = WireFinding(id: 1, finding: .details(ImageDetails())).encoded
        for count in 0..<bytes.count { #expect(WireFinding(Array(bytes.prefix(count))) == nil) }
    }

    @Test func `a finding that no parser could have made is none`() {
        var headers: [ImageHeader] = []
        for change: (inout ImageHeader) -> Void in [
            { $0.width = 0 }, { $0.height = 0 }, { $0.width = 1 << 31 }, { $0.height = .max },
            { $0.pages = 0 },
            { $0.pages = 1 << 31 }, { $0.orientation = 0 }, { $0.orientation = 9 },
            { ($0.width, $0.height) = (0, 0) },
        ] {
            var header = ImageHeader(format: .jpeg, width: 3, height: 2)
            change(&header)
            headers.append(header)
        }
        for header in headers {
            #expect(WireFinding(WireFinding(id: 1, finding: .header(header)).encoded) == nil)
            let description = Finding.description(header, ImageDetails())
            #expect(WireFinding(WireFinding(id: 1, finding: description).encoded) == nil)
        }
        for change: (inout ImageDetails) -> Void in [
            { $0.density = 1_000_001 }, { $0.loop = 65_537 }, { $0.paletteBits = 256 },
            { $0.chromaSubsampling = "<script>" }, { $0.delays = [1 << 24] },
        ] {
            var details = ImageDetails()
            change(&details)
            #expect(WireFinding(WireFinding(id: 1, finding: .details(details)).encoded) == nil)
            let described = Finding.description(ImageHeader(format: .png, width: 1, height: 1), details)
            #expect(WireFinding(WireFinding(id: 1, finding: described).encoded) == nil)
        }
        var details = ImageDetails()
        (details.hasProfile, details.profile) = (true, "a\u{1B}[31m" + String(repeating: "b", count: 99))
        let read = WireFinding(WireFinding(id: 1, finding: .details(details)).encoded)
        guard case .details(let said)? = read?.finding else {
            Issue.record("not read")
            return
        }
        #expect(said.profile == "a[31m" + String(repeating: "b", count: 59))
    }

    @Test func `a finding answers the question that was asked, of a file of that length`() throws {
        let file = try MemoryFile.empty()
        func answer(_ finding: Finding, to question: InspectorQuestion, id: UInt64 = 7) -> Finding? {
            let job = InspectionJob(input: file, inputLength: 100, question: question, deadline: .seconds(1))
            return try? job.answer(in: WireFinding(id: id, finding: finding).encoded, id: 7)?.get()
        }
        let header = ImageHeader(format: .gif, width: 3, height: 2, pages: 100)
        #expect(answer(.header(header), to: .header) == .header(header))
        #expect(answer(.header(header), to: .header, id: 8) == nil)
        #expect(answer(.header(header), to: .details(header)) == nil)
        #expect(answer(.details(ImageDetails()), to: .header) == nil)
        #expect(answer(.details(ImageDetails()), to: .details(header)) == .details(ImageDetails()))
        let description = Finding.description(header, ImageDetails())
        #expect(answer(description, to: .description) == description)
        for question in [InspectorQuestion.header, .details(header)] {
            #expect(answer(description, to: question) == nil)
        }
        for finding in [Finding.header(header), .details(ImageDetails())] {
            #expect(answer(finding, to: .description) == nil)
        }
        var many = header
        many.pages = 101
        #expect(answer(.header(many), to: .header) == nil)
        #expect(answer(.description(many, ImageDetails()), to: .description) == nil)
        for finding in [Finding.notAnImage, .damaged] {
            #expect(answer(finding, to: .header) == finding)
            #expect(answer(finding, to: .description) == finding)
            #expect(answer(finding, to: .details(header)) == nil)
        }
        #expect(answer(.unreadable, to: .details(header)) == .unreadable)

        let unpack = InspectorQuestion.unpack(.gzip, limit: 9)
        for finding in [
            Finding.unpacked(length: 9), .notPacked, .tooLarge, .cannotWrite, .damaged, .unreadable,
        ] {
            #expect(answer(finding, to: unpack) == finding)
        }
        for finding in [Finding.unpacked(length: 10), .notAnImage, .header(header)] {
            #expect(answer(finding, to: unpack) == nil)
        }
        for finding in [Finding.unpacked(length: 1), .notPacked, .tooLarge, .cannotWrite] {
            #expect(answer(finding, to: .header) == nil)
            #expect(answer(finding, to: .details(header)) == nil)
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
        // What a process says that has been taken over is added up with what others took.
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
        let full = WireHandshake(engine: "e", process: 1, jail: names, jailLacks: names, jailMustHave: names)
        #expect(full.encoded.count <= Wire.longestMessage)
        #expect(WireHandshake(full.encoded)?.jail.count == Wire.longestList)
    }

    @Test func `any bytes are read without harm, and what is read is written back the same`() {
        let seed = UInt64.random(in: .min ... .max)
        print("WireTests seed \(seed)")
        var random = SplitMix(state: seed)
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
            if let job = WireJob(bytes) { #expect(job.encoded == bytes, "seed \(seed)") }
            if let handshake = WireHandshake(bytes) { #expect(handshake.encoded == bytes, "seed \(seed)") }
            if let reply = WireReply(bytes), case .success = reply.outcome {
                #expect(reply.encoded == bytes, "seed \(seed)")
            }
        }
    }

    @Test func `descriptors arrive with their message, close-on-exec, and those not wanted are closed`()
        throws
    {
        let (one, other) = try WireSocket.pair()
        let file = try MemoryFile.descriptor(of: .bytes(ImmutableBytes(Array("hi".utf8))))
        try one.send([1, 2], descriptors: [file, file])
        guard case .message([1, 2], let arrived) = try other.receive(descriptorLimit: 2) else {
            Issue.record("no message")
            return
        }
        #expect(arrived.count == 2)
        #expect(arrived.allSatisfy { contents(of: $0) == "hi" && fcntl($0.raw, F_GETFD) == FD_CLOEXEC })
        try one.send([3], descriptors: [file, file, file])
        guard case .message([3], let none) = try other.receive() else {
            Issue.record("no message")
            return
        }
        #expect(none.isEmpty)
    }

    @Test func `an end tells whether what it sent was read before the other was closed`() throws {
        func closing(unread: Bool) throws -> WireSocket.Received {
            let ours = try {
                let (ours, theirs) = try WireSocket.pair()
                try ours.send([1])
                if !unread { _ = try theirs.receive() }
                return ours
            }()
            return try ours.receive()
        }
        guard case .closed = try closing(unread: false), case .closedUnread = try closing(unread: true) else {
            Issue.record("taken for the other")
            return
        }
    }

    @Test func `start parameters mean the same on the other side`() {
        let start = DecoderStart(parent: 12, formats: [.png, .gif])
        #expect(DecoderStart(arguments: start.arguments) == start)
        #expect(DecoderStart(arguments: start.arguments.dropLast()) == nil)
        #expect(DecoderStart(arguments: [String]()) == nil)
        let slow = DecoderStart(parent: 12, formats: [], jpegLane: false)
        #expect(DecoderStart(arguments: slow.arguments) == slow)
        let lane = ["--jpeg-lane", "on"]
        #expect(DecoderStart(arguments: ["--parent", "1", "--formats", "png"] + lane) != nil)
        #expect(DecoderStart(arguments: ["--parent", "0", "--formats", "png"] + lane) == nil)
        #expect(DecoderStart(arguments: ["--parent", "1", "--formats", "png,nonsense"] + lane) == nil)
        #expect(
            DecoderStart(arguments: ["--parent", "1", "--formats", "png", "--jpeg-lane", "maybe"]) == nil)
        let policy = JailPolicy(
            mode: .require, addressSpace: 1 << 32, fileSize: 99, lastDescriptor: 3, readable: ["/a", "/b"])
        #expect(JailPolicy(arguments: policy.arguments) == policy)
        #expect(JailPolicy(arguments: policy.arguments.dropLast()) == nil)
        #expect(JailPolicy(arguments: [String]()) == nil)
    }

    private func isMessage(_ bytes: [UInt8]) -> Bool {
        WireJob(bytes) != nil || WireReply(bytes) != nil || WireHandshake(bytes) != nil
    }

}

/// Steele, Lea, Flood: "Fast splittable pseudorandom number generators" (2014).
private struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
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
