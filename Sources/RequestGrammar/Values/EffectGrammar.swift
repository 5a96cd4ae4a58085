// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes
internal import SourceURLs

extension ValueGrammar where Value == Color {
    static var color: Self {
        ValueGrammar(
            words: "colour: `RGB`, `ARGB`, `RRGGBB`, `AARRGGBB` (`#` before it: %23) or a name of CSS",
            shape: .color
        ) {
            $0.flatMap { Color($0) }
        } write: {
            $0.isTransparent ? "transparent" : $0.hexadecimal
        }
    }
}

extension ValueGrammar where Value == Blur {
    static var blur: Self {
        let sigma = ValueGrammar<Double>.decimal(0.3...1_000)
        return ValueGrammar(words: "\(sigma.words) or `mild` (bare: mild)") { text in
            switch text {
            case nil, "", "mild", "true": .mild
            case let text: sigma.read(text).map { .gaussian($0) }
            }
        } write: {
            switch $0 {
            case .mild: "mild"
            case .gaussian(let number): sigma.write(number)
            }
        }
    }
}

extension ValueGrammar where Value == Sharpening {
    static var sharpening: Self {
        let sigma = ValueGrammar<Double>.decimal(0.0001...10)
        let slope = ValueGrammar<Double>.decimal(0...1_000_000)
        let words = "\(sigma.words), `mild` (bare: mild), or `flat,jagged,σ` with slopes of \(slope.words)"
        return ValueGrammar(words: words) { text in
            guard let text, !["", "mild", "true"].contains(text) else { return Sharpening() }
            let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            if parts.count == 1 { return sigma.read(text).map { Sharpening(sigma: $0) } }
            guard parts.count == 3, let flat = slope.read(parts[0]), let jagged = slope.read(parts[1]),
                let sigma = sigma.read(parts[2])
            else { return nil }
            return Sharpening(sigma: sigma, flat: flat, jagged: jagged)
        } write: {
            guard let number = $0.sigma else { return "mild" }
            let slopes = $0 == Sharpening(sigma: number) ? [] : [$0.flat, $0.jagged]
            return (slopes + [number]).map(DecimalText.write).joined(separator: ",")
        }
    }
}

extension ValueGrammar where Value == Modulation {
    /// One to three numbers; numbers that are left out have no effect.
    static var modulation: Self {
        let factor = ValueGrammar<Double>.decimal(0...10_000)
        let degrees = ValueGrammar<Int>.integer(-100_000...100_000)
        let words = "`lightness,chroma,hue`: \(factor.words), \(factor.words), \(degrees.words) degrees"
        return ValueGrammar(words: words) { text in
            let parts = (text ?? "").split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard parts.count <= 3, let brightness = factor.read(parts[0]) else { return nil }
            var modulation = Modulation(brightness: brightness)
            if parts.count > 1 {
                guard let saturation = factor.read(parts[1]) else { return nil }
                modulation.saturation = saturation
            }
            if parts.count > 2 {
                guard let hue = degrees.read(parts[2]) else { return nil }
                modulation.hue = hue
            }
            return modulation
        } write: {
            "\(DecimalText.write($0.brightness)),\(DecimalText.write($0.saturation)),\($0.hue)"
        }
    }
}

extension ValueGrammar where Value == Recipe.Alignment {
    /// A place on the picture that does not depend on its content.
    static var place: Self {
        .alignment(Recipe.Alignment.allCases.filter { ![.focal, .entropy, .attention].contains($0) })
    }
}

extension ValueGrammar where Value == Watermark.Position {
    static var watermarkPosition: Self {
        let places = ValueGrammar<Recipe.Alignment>.place
        let write: @Sendable (Watermark.Position) -> String = { position in
            switch position {
            case .at(let alignment): places.write(alignment)
            case .tile: "tile"
            case .row(let alignment): "row-\(places.write(alignment))"
            case .column(let alignment): "column-\(places.write(alignment))"
            }
        }
        let repeated: [Watermark.Position] = [
            .tile, .row(.top), .row(.center), .row(.bottom),
            .column(.left), .column(.center), .column(.right),
        ]
        let names = repeated.map(write)
        return ValueGrammar(
            words: ([places.words] + names.map { "`\($0)`" }).joined(separator: " "),
            shape: names.reduce(places.shape) { $0.adding($1) }
        ) { text in
            if let index = names.firstIndex(where: { $0 == text }) { return repeated[index] }
            return places.read(text).map { Watermark.Position.at($0) }
        } write: {
            write($0)
        }
    }
}

extension ValueGrammar where Value == String {
    /// A text without control characters other than line feeds.
    static var writtenText: Self {
        let most = TextOverlay.longest
        return text("a text of 1–\(most) characters, percent-encoded, %0A between lines") {
            TextOverlay.isWritable($0)
        }
    }

    /// At most 64 letters, digits, blanks, `.`, `_` and `-`.
    static var fontFamily: Self {
        text("a family that the settings name") { ConfiguredName.isFontFamily($0) }
    }

    /// A name of at most 64 letters, digits, `.`, `_` and `-`, or an absolute URL.
    static var watermarkSource: Self {
        ValueGrammar(words: "a name from the settings, or an http or https URL, percent-encoded") { text in
            guard let text else { return nil }
            if text.contains("/") { return (try? SourceURL.parse(text))?.absolute }
            return ConfiguredName.isValid(text) ? text : nil
        } write: {
            $0
        }
    }
}
