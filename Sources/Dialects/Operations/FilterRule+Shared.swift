// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import ImageHeaders
internal import Recipes
internal import RequestGrammar

/// Filters that thumbor and imagor share, with the same meaning.
extension FilterRule {
    static let quality = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let number = call.integer(0), (0...100).contains(number) else {
            throw call.refusal("a number of 0…100, 0 for the default")
        }
        draft.recipe.quality = number == 0 ? nil : .number(number)
    }

    /// - Parameter refused: by name, why formats of the service that Pictor does not write are refused.
    static func format(_ formats: [String: ImageFormat], refused: [String: String]) -> FilterRule {
        .makes { draft, call throws(OperationRefusal) in
            let name = call.text(0)?.lowercased() ?? ""
            if let reason = refused[name] {
                throw .unsupported(what: "format(\(name))", reason: reason)
            }
            guard let format = formats[name] else {
                throw call.refusal(formats.keys.sorted().joined(separator: ", "))
            }
            if draft.recipe.output != .json { draft.recipe.output = .format(format) }
        }
    }

    static let grayscale = FilterRule.makes { draft, _ in draft.recipe.filter = .greyscale }

    /// `brightness(percent)`: percent of the full scale, added to all channels.
    static let brightness = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let number = call.number(0) else { throw call.refusal("a number of −100…100") }
        draft.brighten(by: number)
    }

    /// `rgb(red,green,blue)`: percent of the full scale, added to each channel.
    static let rgb = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard call.arguments.count == 3, let red = call.number(0), let green = call.number(1),
            let blue = call.number(2)
        else { throw call.refusal("three numbers of −100…100") }
        draft.brighten(red: red, green: green, blue: blue)
    }

    /// - Parameter range: the allowed degrees counter-clockwise, of which only multiples of 90 are accepted.
    static func rotate(_ range: ClosedRange<Int>) -> FilterRule {
        .makes { draft, call throws(OperationRefusal) in
            let next = try PictureTurn(call, range)
            draft.turn = draft.turn.then(next)
            draft.turnPadding(next)
        }
    }

    static let upscale = FilterRule.makes { draft, _ in draft.enlarges = true }
    static let noUpscale = FilterRule.makes { draft, _ in draft.enlarges = false }
    static let stretch = FilterRule.makes { draft, _ in draft.stretches = true }

    /// `background_color(color)`, or `auto`: the mean of the picture's own pixels.
    static let backgroundColor = FilterRule.makes { draft, call throws(OperationRefusal) in
        let isOwn = call.text(0) == "auto"
        draft.recipe.backgroundSample = isOwn ? .average : nil
        draft.recipe.background = isOwn ? nil : try draft.color(call, 0)
    }

    /// `max_bytes(number)`: the best quality that fits. Formats without a quality are unaffected, as in the services. 0 and text that
    /// is no number mean no limit.
    static let maxBytes = FilterRule.makes { draft, call throws(OperationRefusal) in
        let range = Recipe.byteRange
        guard let number = call.integer(0), number >= 0 else {
            throw call.refusal("\(range.lowerBound)…\(range.upperBound) bytes")
        }
        draft.recipe.maxBytes = number > 0 ? min(number, range.upperBound) : nil
    }

    static let maxAge = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let seconds = call.integer(0), seconds >= 0 else {
            throw call.refusal("a number of seconds")
        }
        draft.delivery.maxAge = min(seconds, 315_360_000)
    }
}

extension PictureTurn {
    init(_ call: FilterCall, _ range: ClosedRange<Int>) throws(OperationRefusal) {
        guard let degrees = call.integer(0), range.contains(degrees), degrees % 90 == 0 else {
            throw call.refusal("0, 90, 180 or 270")
        }
        self.init(quarters: -(degrees / 90 % 4))
    }
}

extension RecipeDraft {
    /// - Parameter percent: percent of the full scale; beyond ±100 there is only white and black.
    mutating func brighten(by percent: Double) { brighten(red: percent, green: percent, blue: percent) }

    /// The same, but with a value for each channel.
    mutating func brighten(red: Double, green: Double, blue: Double) {
        func sum(_ before: Int, _ percent: Double) -> Int {
            // Cannot trap: −100…100.
            Int(min(max(Double(before) + percent.rounded(), -100), 100))
        }
        let before = recipe.brightness
        recipe.brightness = Brightness(
            red: sum(before.red, red), green: sum(before.green, green), blue: sum(before.blue, blue))
    }

    /// Sets a sigmoid that is as steep in the middle as the factor.
    mutating func setContrast(factor: Double) {
        recipe.contrast = factor > 0 ? ContrastSlope.steps(min(factor, 1_000)) : -100
    }

    /// Adds a Gaussian blur to the present one, so their variances add up.
    mutating func blur(sigma: Double) {
        var square = sigma * sigma
        if case .gaussian(let before) = recipe.blur { square += before * before }
        let both = DecimalText.quantised(square.squareRoot())
        if both >= 0.3 { recipe.blur = .gaussian(min(both, 1_000)) }
    }

    /// Multiplies lightness and chroma, and adds degrees of hue.
    mutating func modulate(lightness: Double = 1, chroma: Double = 1, hue: Double = 0) {
        let range = 0.0...10_000
        func factor(_ a: Double, _ b: Double) -> Double {
            DecimalText.quantised(min(max(a * b, range.lowerBound), range.upperBound))
        }
        recipe.modulation.brightness = factor(recipe.modulation.brightness, lightness)
        recipe.modulation.saturation = factor(recipe.modulation.saturation, chroma)
        // Cannot trap: below 720.
        recipe.modulation.hue += Int(hue.truncatingRemainder(dividingBy: 360).rounded())
        recipe.modulation.hue %= 360
    }

    static let colors = "a name of CSS, RGB or RRGGBB"

    /// Reads a colour: a name of CSS, or hexadecimal digits with alpha last.
    func color(_ call: FilterCall, _ index: Int) throws(OperationRefusal) -> Color {
        guard let text = call.text(index) else { throw call.refusal(Self.colors) }
        let digits = text.hasPrefix("#") ? String(text.dropFirst()) : text
        let isNumber = digits.utf8.allSatisfy { $0.hexDigitValue != nil }
        let alpha = isNumber && digits.count == 8 ? 2 : isNumber && digits.count == 4 ? 1 : 0
        guard let color = Color(String(digits.suffix(alpha)) + digits.dropLast(alpha)) else {
            throw call.refusal(Self.colors)
        }
        return color
    }
}
