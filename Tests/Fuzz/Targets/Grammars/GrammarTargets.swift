// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import Dialects
internal import Bytes
internal import DecoderPool
internal import DecoderProtocol
internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Origin
internal import Pipeline
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

/// From a picture's header and a query to all that is computed of the two before a decoder is asked: what is to be made,
/// its size, its price, its key. Numbers that parse one by one may still be trouble together.
enum ChainTarget {
    private static let limits = PictureLimits(
        formats: ImageFormat.readable, outputs: Set(ImageFormat.writable), pixels: .max, frames: .max,
        outputPixels: .max)
    private static let digest = OriginalDigest(Digest(words: (1, 2, 3, 4)))

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var choices = Choices(bytes)
        guard let header = header(&choices), let recipe = recipe(&choices) else { return }
        let watermark = choices.chance(20) ? Self.header(&choices) : nil
        follow(recipe, header, watermark, avif: choices.chance(50), webp: choices.chance(50))
    }

    /// Most are parsed; some are made of numbers that the parser lets through, in any format.
    private static func header(_ choices: inout Choices) -> ImageHeader? {
        if choices.chance(60) {
            let picture = PictureGrammar.make(&choices)
            guard let header = try? ImageHeader.parse(picture) else { return nil }
            _ = ImageDetails.parse(HeaderBytes(picture), header: header)
            return header
        }
        func side() -> Int { min(max(Int(clamping: choices.oddNumber()), 1), Int(Int32.max)) }
        return ImageHeader(
            format: choices.pick(ImageFormat.allCases), width: side(), height: side(), pages: side(),
            orientation: choices.number(below: 8) + 1, hasAlpha: choices.chance(30),
            isDecodable: choices.chance(95),
            isProgressive: choices.chance(30))
    }

    private static func recipe(_ choices: inout Choices) -> Recipe? {
        let query = OptionGrammar.query(&choices)
        let isWeserv = choices.chance(30)
        let request =
            isWeserv ? try? ImageRequest.parse(weserv: query) : try? ImageRequest.parse(query: query)
        return request?.recipe
    }

    private static func follow(
        _ asked: Recipe, _ header: ImageHeader, _ watermark: ImageHeader?, avif: Bool, webp: Bool
    ) {
        measure(asked, header)
        if let drawing = asked.drawing(of: header) {
            return expect(
                (try? Recipe(canonical: drawing.canonical)) == drawing, "a drawing has one spelling")
        }
        var recipe = asked
        recipe.keepsDrawing = false
        recipe = recipe.resolvingAuto(avif: avif, webp: webp, header: header)
        guard let page = recipe.pageTaken(from: header) else { return }
        recipe.page = page
        if recipe.output == .json { recipe = recipe.inspection }
        if recipe.handsOn(header) { return }
        recipe.asIs = []
        recipe.output = .format(recipe.resolvedOutput(for: header))
        if recipe.framesTaken(from: header) == 1 { recipe.pages = 1 }
        let made = recipe.canonicalised.limitingAVIF(to: 4_000_000, shapes: [header])
        measure(made, header)
        expect(JobPrice.bytes(header: header, recipe: made, watermark: watermark) > 0, "a job has a price")
        _ = try? PictureLimits().check(header, for: made, watermark: watermark)
        _ = try? limits.check(header, for: made, watermark: watermark)
        expect((try? Recipe(canonical: made.canonical)) == made, "what is made has one spelling")
        _ = RenditionKey.material(
            original: digest, of: header.format, recipe: made, engine: EngineVersion(library: ""))
    }

    private static func measure(_ recipe: Recipe, _ header: ImageHeader) {
        let plan = Geometry.plan(upright: header.upright, recipe: recipe)
        for size in [plan.resized, plan.canvas] {
            expect(size.width >= 1 && size.height >= 1 && size.area >= 1, "a plan has a size")
        }
        let result = recipe.resultSize(for: header)
        expect(result.width >= 0 && result.height >= 0, "so has what comes of it")
        expect(recipe.framesTaken(from: header) >= 1, "a frame is taken at least")
        _ = (recipe.leavesPixels(of: header), recipe.leavesAlpha(in: header), recipe.inspection.canonical)
        _ = WidthLadder([320, 640, 1_280]).climbed(by: recipe)
    }
}

/// What decides about freshness, as origins send it and as a disk may have kept it.
enum CachingTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var choices = Choices(bytes)
        let lines = (0..<choices.number(below: 12)).map { _ in HTTPGrammar.field(&choices) }
        FieldsTarget.run(Array(lines.joined(separator: "\n").utf8))
        for line in lines { FieldsTarget.run(Array(line.drop { $0 != ":" }.dropFirst(2).utf8)) }
        remember(&choices)
    }

    private static func remember(_ choices: inout Choices) {
        let now = Timestamp(seconds: 1_800_000_000)
        func number() -> Int64 { Int64(bitPattern: choices.oddNumber()) }
        let freshness = Freshness(
            responseTime: Timestamp(milliseconds: number()), initialAge: Int32(clamping: number()),
            lifetime: Int32(clamping: number()), clientLifetime: Int32(clamping: number()),
            staleWhileRevalidate: Int32(clamping: number()), staleIfError: Int32(clamping: number()),
            flags: Freshness.Flags(rawValue: UInt16(choices.byte()) | UInt16(choices.byte()) << 8))
        _ = (freshness.state(at: now), freshness.expired(at: now))
        var policy = ClientPolicy(
            minimumLifetime: Int32(clamping: number()), maximumLifetime: Int32(clamping: number()))
        if choices.chance(50) { policy.end = Timestamp(seconds: Int64(choices.number(below: 65_536)) << 24) }
        _ = ClientDirectives(freshness, at: now, policy: policy).cacheControl.text
        _ = RequestDirectives(HTTPGrammar.directives(&choices)).judge(freshness, at: now)
        _ = HTTPDate.format(Timestamp(milliseconds: number()))
    }
}

/// An origin's answer, and what is remembered of one that is no picture.
enum AnswersTarget {
    private static let base = SourceURL(scheme: .https, host: "a.example", port: 443, target: "/b/c?d")
    private static let now = Timestamp(seconds: 1_800_000_000)

    static func run(_ bytes: UnsafeRawBufferPointer) {
        var choices = Choices(bytes)
        let response = HTTPGrammar.response(&choices)
        response.withUnsafeBytes { ReplyTarget.run($0) }
        var head = ReplyHead(byteLimit: 2048, lineLimit: 32)
        for line in response.split(separator: 0x0A, omittingEmptySubsequences: false) {
            (line + [0x0A]).withUnsafeBytes { _ = head.add($0) }
        }
        if let location = head.fields["Location"] {
            _ = try? Redirect.target(location, from: base, OriginConfiguration())
        }
        for status in [404, 429, 503] {
            _ = NegativePolicy().verdict(
                onStatus: status, fields: head.fields, by: Transit(at: now))
        }
        _ = head.fields["Content-Range"].flatMap { ContentRange($0) }?.count
    }
}

/// Messages of a process that has been taken over: right in form, and with any numbers.
enum MessagesTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var choices = Choices(bytes)
        let message = message(&choices)
        WireTarget.run(message)
        guard let reply = WireReply(message), case .success(let made) = reply.outcome else { return }
        expect(2 * (made.decoding + made.encoding) >= 0, "times add up")
        expect(PixelSize(width: made.width, height: made.height).area > 0, "so do pixels")
    }

    private static func message(_ choices: inout Choices) -> [UInt8] {
        var bytes: [UInt8] = [Wire.version, choices.pick([3, 3, 4, 1, 2, 5, 6, 6])]
        switch bytes[1] {
        case 1: bytes += handshake(&choices)
        case 2: bytes += job(&choices)
        case 3: bytes += made(&choices)
        case 4: bytes += number(8, &choices) + [choices.byte() % 7] + number(8, &choices) + text(&choices)
        case 5:
            bytes += number(8, &choices) + number(8, &choices)
            bytes += choices.chance(50) ? [0] : [1] + header(&choices)
        default: bytes += finding(&choices)
        }
        let cut = bytes.dropLast(choices.number(below: 8)) + choices.bytes(choices.number(below: 3))
        return choices.chance(95) ? bytes : Array(cut)
    }

    private static func number(_ width: Int, _ choices: inout Choices) -> [UInt8] {
        choices.oddBytes(width, bigEndian: false)
    }

    private static func text(_ choices: inout Choices) -> [UInt8] {
        let text = choices.text(upTo: 3) {
            $0.pick([
                "a", "srgb", "b-w", "uchar", "4:2:0", "w=1", "\u{E9}", "\n",
                String(repeating: "x", count: 100),
            ])
        }
        let length = Choices.bytes(UInt64(text.utf8.count), 2, bigEndian: false)
        return (choices.chance(90) ? length : number(2, &choices)) + Array(text.utf8)
    }

    private static func header(_ choices: inout Choices) -> [UInt8] {
        let sides = number(4, &choices) + number(4, &choices) + number(4, &choices)
        return [choices.byte() % 12] + sides + [choices.byte() % 9, choices.byte() % 8]
    }

    private static func made(_ choices: inout Choices) -> [UInt8] {
        var bytes = number(8, &choices) + [choices.byte() % 12]
        for width in [4, 4, 4, 8, 8, 8] { bytes += number(width, &choices) }
        return bytes + [choices.byte(), choices.byte()]
    }

    private static func handshake(_ choices: inout Choices) -> [UInt8] {
        var bytes = text(&choices) + number(4, &choices)
        for _ in 0..<3 {
            let count = choices.number(below: 4)
            bytes.append(UInt8(truncatingIfNeeded: count))
            for _ in 0..<count { bytes += text(&choices) }
        }
        return bytes
    }

    private static func job(_ choices: inout Choices) -> [UInt8] {
        var bytes = number(8, &choices) + header(&choices) + text(&choices)
        for _ in 0..<12 { bytes += [choices.byte() % 101, 0] }
        for _ in 0..<3 { bytes += number(8, &choices) }
        return bytes + [choices.byte() % 2, choices.byte() % 2]
    }

    private static func finding(_ choices: inout Choices) -> [UInt8] {
        let code = choices.byte() % 7
        let start = number(8, &choices) + [code]
        if code == 1 { return start + header(&choices) }
        guard code == 2 else { return start }
        var bytes = start + text(&choices) + text(&choices) + [choices.byte(), choices.byte() % 2]
        bytes += text(&choices) + number(4, &choices) + text(&choices) + [choices.byte() % 2]
        bytes += number(2, &choices) + number(4, &choices)
        let count = choices.number(below: 8)
        bytes += Choices.bytes(UInt64(count), 2, bigEndian: false)
        for _ in 0..<count { bytes += number(4, &choices) }
        return bytes
    }
}
