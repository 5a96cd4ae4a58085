// SPDX-License-Identifier: Apache-2.0
//
// The options, taken one after the other: what comes later counts. Presets take theirs where they stand.

internal import Bytes
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

struct ImgproxyWish {
    enum Resizing: String { case fit, fill, force, auto, fillDown = "fill-down" }

    private(set) var resizing = Resizing.fit
    /// Pixels; 0 = by the ratio.
    private(set) var width = 0
    private(set) var height = 0
    private(set) var zoom = (x: 1.0, y: 1.0)
    private(set) var pixelRatio = 1.0
    private var isRatioNamed = false
    /// Pixels that the sides have at least; 0 = any.
    private(set) var least = (width: 0, height: 0)
    private(set) var enlarges = false
    /// Where the picture is put on its canvas; nil = it has none.
    private(set) var extended: ImgproxyGravity?
    /// The same, where the canvas has the ratio of the box and not its size.
    private(set) var widened: ImgproxyGravity?
    private(set) var gravity = ImgproxyGravity.center
    /// Below 1 a fraction, else pixels; 0 = the whole side.
    private(set) var crop: (width: Double, height: Double, gravity: ImgproxyGravity?)?
    private(set) var trim: Trim?
    private(set) var padding: Clockwise?
    /// Pixels a side; 0 and 1 change nothing.
    private(set) var block = 0
    private(set) var degrees = 0
    private(set) var mirrorsAcross = false
    private(set) var mirrorsDown = false
    private(set) var background: Color?
    private(set) var blur = 0.0
    private(set) var sharpness = 0.0
    private(set) var watermark: (opacity: Double, position: Watermark.Position, shift: Shift, scale: Double)?
    private(set) var keepsProfile = false
    private(set) var keepsCopyright = true
    /// 0 = by the format.
    private(set) var quality = 0
    private(set) var qualities: [String: Int] = [:]
    private(set) var format: String?
    private(set) var frames = 1
    /// Of the file at most; 0 = any.
    private(set) var maxBytes = 0
    /// The original as it came, whatever else is asked.
    private(set) var isRaw = false
    private(set) var isAttachment = false
    /// Unix time in seconds.
    private(set) var expiry: Int64?
    private(set) var filename: String?
    private(set) var source: SourceURL?
    /// What it depends on, where clients' hints are read: they fill in what no option names.
    private(set) var hints: HintFields = [.width, .pixelRatio]

    /// No option.
    init() {}

    /// - Parameter needs: of the client; of no account where its hints are not read.
    init(
        _ path: ImgproxyPath, _ rules: ImgproxyRules, _ needs: ClientNeeds = .none
    ) throws(ImgproxyRefusal) {
        if rules.readsHints { fill(in: needs) }
        var segments = path.text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if segments.first.map({ Resizing(rawValue: String($0)) != nil }) == true, !rules.onlyPresets {
            throw .basicForm
        }
        if let options = rules.presets["default"] { try take(options, rules, inside: ["default"]) }
        if rules.onlyPresets {
            let names = (segments.popFirst() ?? "").split(
                separator: rules.separator, omittingEmptySubsequences: false)
            for name in names { try takePreset(String(name), rules, inside: []) }
        } else {
            while let segment = segments.first, let option = ImgproxyOption(segment, rules.separator) {
                try take([option], rules, inside: [])
                segments = segments.dropFirst()
            }
        }
        let source = try ImgproxySource(segments, rules)
        self.source = source.url
        if let named = source.format { format = named }
    }

    /// A width counts pixels of the screen, and is multiplied by the ratio.
    private mutating func fill(in needs: ClientNeeds) {
        pixelRatio = needs.pixelRatio ?? 1
        guard let pixels = needs.width, !needs.isViewport else { return }
        // Cannot trap: 1…16,384 by 0.25…8.
        width = max(1, Int((Double(pixels) / pixelRatio).rounded()))
    }

    /// The width is named; without it the ratio makes a width of the screen one of the page.
    private mutating func nameWidth(_ pixels: Int) {
        width = pixels
        hints.remove(.width)
        if isRatioNamed { hints.remove(.pixelRatio) }
    }

    private mutating func nameRatio(_ ratio: Double) {
        (pixelRatio, isRatioNamed) = (ratio, true)
        if !hints.contains(.width) { hints.remove(.pixelRatio) }
    }

    /// - Parameter names: presets that are being taken.
    mutating func take(
        _ options: [ImgproxyOption], _ rules: ImgproxyRules, inside names: [String]
    ) throws(ImgproxyRefusal) {
        for option in options {
            guard let kind = option.kind else {
                guard let reason = ImgproxyOption.reason(against: option.name) else {
                    throw .unknown(name: option.name)
                }
                throw .unsupported(option: option.name, reason: reason)
            }
            if kind == .preset {
                for name in option.arguments { try takePreset(name, rules, inside: names) }
            } else {
                try take(kind, ImgproxyArguments(option))
            }
        }
    }

    private mutating func takePreset(
        _ name: String, _ rules: ImgproxyRules, inside names: [String]
    ) throws(ImgproxyRefusal) {
        guard let options = rules.presets[name] else { throw .noPreset(name: name) }
        guard !names.contains(name) else { throw .recursivePreset(name: name) }
        try take(options, rules, inside: names + [name])
    }
}

extension ImgproxyWish {
    private mutating func take(
        _ kind: ImgproxyOption.Kind, _ arguments: ImgproxyArguments
    ) throws(ImgproxyRefusal) {
        switch kind {
        case .resize: try takeResize(arguments)
        case .size: try takeSize(arguments)
        case .resizingType: try takeResizing(arguments)
        case .width: nameWidth(try side(arguments))
        case .height: height = try side(arguments)
        case .zoom: try takeZoom(arguments)
        case .dpr: nameRatio(try arguments.number(0.1...8))
        case .enlarge: enlarges = arguments.flag()
        case .minWidth: least.width = try side(arguments)
        case .minHeight: least.height = try side(arguments)
        case .extend: extended = try canvas(arguments, extended)
        case .extendAspectRatio: widened = try canvas(arguments, widened)
        case .gravity: gravity = try arguments.gravity()
        case .crop: try takeCrop(arguments)
        case .trim: try takeTrim(arguments)
        case .rotate: try takeRotation(arguments)
        case .flip: (mirrorsAcross, mirrorsDown) = (arguments.flag(0), arguments.flag(1))
        case .background: try takeBackground(arguments)
        case .blur: blur = try arguments.number(0.3...1_000, or: true)
        case .sharpen: sharpness = try arguments.number(0.0001...10, or: true)
        case .watermark: try takeWatermark(arguments)
        case .quality: quality = try arguments.integer(0...100)
        case .formatQuality: try takeQualities(arguments)
        case .format: format = arguments.texts.first ?? ""
        case .maxAnimationFrames: frames = try arguments.integer(1...256)
        case .expires: try takeExpiry(arguments)
        case .filename: try takeFilename(arguments)
        case .keepCopyright: keepsCopyright = arguments.flag()
        case .stripColorProfile: keepsProfile = !arguments.flag()
        // Of the main picture a better result comes than of a thumbnail.
        case .cachebuster, .enforceThumbnail, .preset: break
        case .autoRotate: try must(be: true, arguments, "Pictor turns every picture upright.")
        case .stripMetadata: try must(be: true, arguments, "Of metadata Pictor keeps the copyright only.")
        case .preserveHDR: try must(be: false, arguments, "Pictor writes 8 bits a channel.")
        case .raw: isRaw = arguments.flag()
        case .returnAttachment: isAttachment = arguments.flag()
        case .skipProcessing:
            throw .unsupported(
                option: arguments.name, reason: "raw:1 gives the original, whatever its format.")
        case .maxBytes: maxBytes = try arguments.integer(0...Recipe.byteRange.upperBound)
        case .pixelate: block = try arguments.integer(0...Recipe.blockRange.upperBound, unit: " pixels")
        case .padding: try takePadding(arguments)
        }
    }

    /// The one value that there is here.
    private func must(
        be value: Bool, _ arguments: ImgproxyArguments, _ reason: String
    ) throws(ImgproxyRefusal) {
        if arguments.flag() != value {
            throw .unsupported(option: "\(arguments.name):\(value ? 0 : 1)", reason: reason)
        }
    }

    private func side(_ arguments: ImgproxyArguments, _ index: Int = 0) throws(ImgproxyRefusal) -> Int {
        try arguments.integer(0...Recipe.Length.pixelRange.upperBound, at: index, unit: " pixels")
    }

    private mutating func takeResizing(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        guard let resizing = arguments.given(0).flatMap(Resizing.init(rawValue:)) else {
            throw arguments.refusal("fit, fill, fill-down, force or auto")
        }
        self.resizing = resizing
    }

    private mutating func takeResize(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        if arguments.given(0) != nil { try takeResizing(arguments) }
        try takeSize(arguments.dropFirst())
    }

    private mutating func takeSize(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(7, "width:height:enlarge:extend:gravity")
        if arguments.given(0) != nil { nameWidth(try side(arguments, 0)) }
        if arguments.given(1) != nil { height = try side(arguments, 1) }
        if arguments.given(2) != nil { enlarges = arguments.flag(2) }
        if arguments.given(3) != nil { extended = try canvas(arguments.dropFirst(3), extended) }
    }

    private mutating func takeZoom(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(2, "one or two factors above 0")
        let x = try arguments.number(0.0001...1_000, at: 0)
        zoom = (x, arguments.texts.count > 1 ? try arguments.number(0.0001...1_000, at: 1) : x)
    }

    /// Where the picture is put on a canvas; nil where there is to be none.
    private func canvas(
        _ arguments: ImgproxyArguments, _ before: ImgproxyGravity?
    ) throws(ImgproxyRefusal) -> ImgproxyGravity? {
        try arguments.atMost(4, "a flag and a gravity")
        let gravity = arguments.given(1) == nil ? before ?? .center : try arguments.dropFirst().gravity()
        guard gravity != .smart else { throw arguments.refusal("a gravity other than sm") }
        return arguments.flag() ? gravity : nil
    }

    private mutating func takeCrop(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(5, "width:height:gravity")
        let range = 0.0...Double(Crop.pixelRange.upperBound)
        let width = try arguments.number(range, at: 0)
        let height = arguments.given(1) == nil ? 0 : try arguments.number(range, at: 1)
        let gravity = arguments.given(2) == nil ? nil : try arguments.dropFirst(2).gravity()
        crop = (width, height, gravity)
    }

    private mutating func takeTrim(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(4, "threshold:colour:equal_hor:equal_ver")
        guard arguments.given(0) != nil else {
            trim = nil
            return
        }
        // Cannot trap: a number of 0…255. The ends are all and nothing; next to them is what can be asked for.
        let threshold = min(max(Int(try arguments.number(0...255, at: 0).rounded()), 1), 254)
        // Magenta is imgproxy's word for glass, which is what the corner is of then.
        let colour = arguments.given(1) == nil ? nil : try arguments.colour(1)
        if arguments.flag(2) || arguments.flag(3) {
            throw .unsupported(
                option: "\(arguments.name) with equal_hor or equal_ver",
                reason: "Pictor trims the whole border.")
        }
        trim = Trim(
            threshold: threshold, color: colour == Color(red: 255, green: 0, blue: 255) ? nil : colour)
    }

    /// As in CSS; what is left out equals the side across.
    private mutating func takePadding(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(4, "top:right:bottom:left")
        let top = arguments.given(0) == nil ? 0 : try side(arguments, 0)
        let right = arguments.given(1) == nil ? top : try side(arguments, 1)
        let bottom = arguments.given(2) == nil ? top : try side(arguments, 2)
        padding = Clockwise(top, right, bottom, arguments.given(3) == nil ? right : try side(arguments, 3))
    }

    private mutating func takeRotation(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        let turns = try arguments.integer(-36_000_000...36_000_000, unit: " in steps of 90")
        guard turns.isMultiple(of: 90) else { throw arguments.refusal("multiples of 90") }
        degrees = (turns % 360 + 360) % 360
    }

    private mutating func takeBackground(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        switch arguments.texts.count {
        case 1: background = arguments.given(0) == nil ? nil : try arguments.colour()
        case 3:
            background = Color(
                red: try level(arguments, 0), green: try level(arguments, 1), blue: try level(arguments, 2))
        default: throw arguments.refusal("hexadecimal digits, or three numbers 0…255")
        }
    }

    private func level(_ arguments: ImgproxyArguments, _ index: Int) throws(ImgproxyRefusal) -> UInt8 {
        UInt8(clamping: try arguments.integer(0...255, at: index))
    }

    private mutating func takeWatermark(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(7, "opacity:position:x_offset:y_offset:scale")
        let opacity = try arguments.number(0...1, at: 0)
        var position = Watermark.Position.at(.center)
        if let word = arguments.given(1) {
            var recipe = Recipe()
            if word == "re" {
                position = .tile
            } else if let side = ImgproxyGravity.sides[word] {
                recipe.keep(side)
                position = .at(recipe.alignment)
            } else {
                throw arguments.refusal("a position ce, no, so, ea, we, noea, nowe, soea, sowe or re")
            }
        }
        var shift = Shift()
        for (index, axis) in [(2, \Shift.x), (3, \Shift.y)] where arguments.given(index) != nil {
            let offset = try arguments.number(-65_535...65_535, at: index)
            shift[keyPath: axis] = ImgproxyPlace.Axis(point: 0, offset: offset).length
        }
        let scale = arguments.given(4) == nil ? 0 : try arguments.number(0.01...1, at: 4, or: true)
        watermark = opacity > 0 ? (opacity, position, shift, scale) : nil
    }

    private mutating func takeQualities(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        guard arguments.texts.count.isMultiple(of: 2) else {
            throw arguments.refusal("pairs of a format and a quality")
        }
        for index in stride(from: 0, to: arguments.texts.count, by: 2) {
            let format = arguments.texts[index]
            guard Self.formats.contains(format) else {
                throw arguments.refusal("pairs of a format and a quality")
            }
            qualities[format == "jpeg" ? "jpg" : format] = try arguments.integer(0...100, at: index + 1)
        }
    }

    private mutating func takeExpiry(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        guard arguments.texts.count == 1, let time = arguments.given(0).flatMap({ Int64($0) }),
            (0...999_999_999_999).contains(time)
        else { throw arguments.refusal("a unix time in seconds") }
        expiry = time > 0 ? time : nil
    }

    private mutating func takeFilename(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        let words = "1–78 of A–Z a–z 0–9 . _ -, or the same in base64url"
        try arguments.atMost(2, words)
        let text = arguments.given(0) ?? ""
        let bytes =
            arguments.flag(1) ? Base64URL.decode(text) : PercentEscape.decode(Array(text.utf8)[...])
        guard let bytes, (1...78).contains(bytes.count), bytes.allSatisfy(\.isNameByte) else {
            throw arguments.refusal(words)
        }
        filename = String(decoding: bytes, as: UTF8.self)
    }

    /// imgproxy's formats.
    static let formats: Set<String> = [
        "jpg", "jpeg", "jxl", "png", "webp", "avif", "gif", "ico", "svg", "heic", "bmp", "tiff",
    ]
}
