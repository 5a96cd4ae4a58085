// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
package import RandomInputs
package import Recipes

extension SeededRandom {
    /// Any recipe that a client could write.
    package mutating func recipe() -> Recipe {
        var recipe = Recipe()
        if chance(70) { recipe.width = length() }
        if chance(70) { recipe.height = length() }
        if chance(40) { recipe.pixelRatio = Double(Int.random(in: 10...800, using: &self)) / 100 }
        if chance(20) { recipe.zoom = Double(number(10...1_000)) / 100 }
        if chance(20) { recipe.aspect = AspectRatio(number(1...30), number(1...30)) }
        if chance(20) { recipe.leastWidth = number(1...(chance(50) ? 300 : 16_384)) }
        if chance(20) { recipe.leastHeight = number(1...(chance(50) ? 300 : 16_384)) }
        recipe.fit = Recipe.Fit.allCases.randomElement(using: &self) ?? .inside
        recipe.withoutEnlargement = chance(50)
        recipe.withoutReduction = chance(20)
        recipe.shrinksBox = chance(20)
        recipe.linear = chance(10)
        recipe.alignment = Recipe.Alignment.allCases.randomElement(using: &self) ?? .center
        if chance(30) { (recipe.shift.x, recipe.shift.y) = (shift(), shift()) }
        if chance(50) { recipe.focus = Focus(x: focalDistance(), y: focalDistance()) }
        recipe.turnsBox = chance(20)
        cut(&recipe)
        turn(&recipe)
        colour(&recipe)
        encode(&recipe)
        return recipe
    }

    private mutating func anchor() -> Crop.Anchor {
        if chance(20) { return .attention }
        if chance(30) { return .point(FocalPoint(x: fraction(), y: fraction())) }
        return .side(Crop.sides.randomElement(using: &self) ?? .center)
    }

    private mutating func cut(_ recipe: inout Recipe) {
        if chance(40) {
            var crop = Crop()
            if chance(50) { crop.x = cropLength(from: 0) }
            if chance(50) { crop.y = cropLength(from: 0) }
            if chance(50) { crop.width = cropMargin() ?? cropLength(from: 1) }
            if chance(50) { crop.height = cropMargin() ?? cropLength(from: 1) }
            crop.beforeResize = chance(30)
            if chance(40) { crop.anchor = anchor() }
            recipe.crop = crop
        }
        if chance(30) {
            recipe.trim = Trim(
                threshold: number(1...254), color: chance(50) ? color() : nil, isByLastPixel: chance(30))
        }
        if chance(20) { recipe.radii = chance(50) ? Radii(clockwise()) : Radii(clockwise(), clockwise()) }
        if chance(20) { recipe.padding = Padding(clockwise(), background: color()) }
        if chance(30), let shape = Mask.Shape.allCases.randomElement(using: &self) {
            recipe.mask = Mask(shape: shape, trims: chance(50), background: color())
        }
    }

    private mutating func turn(_ recipe: inout Recipe) {
        if chance(50) {
            recipe.rotation =
                chance(60) ? Double(number(-8...8) * 90) : Double(number(-100_000...100_000)) / 10
        }
        recipe.rotationBackground = color()
        recipe.flip = chance(40)
        recipe.flop = chance(40)
        recipe.turnsFirst = chance(30)
    }

    private mutating func colour(_ recipe: inout Recipe) {
        if chance(30) { recipe.background = color() }
        recipe.containBackground = color()
        if chance(20) { recipe.backgroundSample = ColourSample.allCases.randomElement(using: &self) }
        if chance(20) { recipe.containSample = ColourSample.allCases.randomElement(using: &self) }
        if chance(20) { recipe.containBlur = Double(number(3...10_000)) / 10 }
        if chance(30) { recipe.blur = chance(30) ? .mild : .gaussian(Double(number(3...10_000)) / 10) }
        if chance(20) { recipe.block = number(Recipe.blockRange) }
        if chance(30) {
            recipe.sharpen = Sharpening(
                sigma: chance(30) ? nil : Double(number(1...100_000)) / 10_000,
                flat: Double(number(0...4)) / 2,
                jagged: Double(number(0...4)))
        }
        if chance(30) { recipe.contrast = number(-100...100) }
        if chance(30) {
            let light = number(Brightness.range)
            recipe.brightness =
                chance(50)
                ? Brightness(light)
                : Brightness(red: light, green: number(-100...100), blue: number(-100...100))
        }
        if chance(30) { recipe.gamma = Double(number(1...100)) / 10 }
        if chance(30) {
            recipe.modulation = Modulation(
                brightness: Double(number(0...300)) / 100, saturation: fraction(), hue: number(-1_000...1_000)
            )
        }
        if chance(40) {
            recipe.filter = [.greyscale, .sepia, .negate, .duotone(start: color(), stop: color())]
                .randomElement(using: &self)
        }
        if chance(30) { recipe.tint = color() }
        if chance(20) { recipe.text = text() }
        if chance(30) {
            let repeated: [Watermark.Position] = [.tile, .row(.bottom), .column(.center)]
            recipe.watermark = Watermark(
                source: chance(50) ? "logo-1.x_y" : "https://a.com/50%25%20off&x=1?a=b&c=%23d",
                position: chance(30)
                    ? repeated.randomElement(using: &self) ?? .tile
                    : .at([.center, .top, .bottomRight].randomElement(using: &self) ?? .left),
                scale: chance(50) ? Double(number(1...100)) / 100 : nil, opacity: fraction())
            if chance(50) { recipe.watermark?.heightScale = Double(number(1...100)) / 100 }
            if chance(50) { recipe.watermark?.shift.x = .pixels(number(-50...50)) }
            if chance(50) { recipe.watermark?.shift.y = .percent(Double(number(-100...100))) }
        }
    }

    private mutating func text() -> TextOverlay {
        var text = TextOverlay(
            ["Hi", "a+b & <c>=50% \u{202E}é", "圓 👍🏽 مرحبا"].randomElement(using: &self) ?? "x")
        text.position = [.center, .top, .bottomRight].randomElement(using: &self) ?? .left
        if chance(50) { (text.shift.x, text.shift.y) = (shift(), shift()) }
        text.size = number(TextOverlay.sizeRange)
        text.color = color()
        text.font = chance(50) ? "DejaVu Sans" : nil
        text.alignment = [.left, .center, .right, nil].randomElement(using: &self) ?? nil
        if chance(50) {
            text.width = chance(50) ? .pixels(number(1...500)) : .percent(Double(number(1...100)))
        }
        return text
    }

    private mutating func encode(_ recipe: inout Recipe) {
        let formats = ImageFormat.writable.map { Recipe.Output.format($0) }
        recipe.output = (formats + [.source, .auto, .json, .raw]).randomElement(using: &self) ?? .source
        if chance(50) {
            let qualities: [Quality] = [
                .number(number(1...100)), .likeness(nil), .likeness(Double(number(500...1_000)) / 1_000),
            ]
            recipe.quality = qualities.randomElement(using: &self)
        }
        if chance(30) {
            for format in ImageFormat.writable where chance(30) {
                recipe.formatQualities[format] = number(1...100)
            }
        }
        recipe.keepsDrawing = chance(20)
        if chance(20) { recipe.maxBytes = number(1...1_000_000) }
        if chance(30) { recipe.pngLevel = number(0...9) }
        recipe.adaptiveFilter = chance(30) ? chance(50) : nil
        recipe.interlaced = chance(30)
        recipe.lossless = chance(30)
        recipe.profile = chance(20) ? .displayP3 : chance(20) ? .own : .sRGB
        recipe.metadata = chance(20) ? .copyright : .none
        recipe.keepsGainMap = chance(20)
        if chance(20) { recipe.asIs = Set(ImageFormat.writable.shuffled(using: &self).prefix(number(0...3))) }
        recipe.jsonExtras = JSONExtras(rawValue: UInt8(number(0...31)))
        if chance(50) { recipe.pages = chance(30) ? -1 : number(1...256) }
        if chance(30) { recipe.page = number(-2...9) }
        if chance(30) { recipe.loop = number(0...65_535) }
        if chance(30) { recipe.delays = (0..<number(1...20)).map { _ in number(0...655_350) } }
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// 0…1 in hundredths.
    private mutating func fraction() -> Double { Double(number(0...100)) / 100 }

    private mutating func focalDistance() -> Focus.Distance {
        chance(50) ? .fraction(fraction()) : .pixels(Double(number(0...20_000)) / 10)
    }

    private mutating func color() -> Color {
        let bytes = bytes(4)
        let alpha: UInt8 = chance(30) ? 0 : chance(50) ? 255 : bytes[3]
        return Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: alpha)
    }

    /// Often of equal numbers, for which there are shorter spellings.
    private mutating func clockwise() -> Clockwise {
        let most = chance(50) ? 3 : Clockwise.pixelRange.upperBound
        let (first, second) = (number(0...most), number(0...most))
        return Clockwise(
            first, second, chance(50) ? first : number(0...most), chance(50) ? second : number(0...most))
    }

    private mutating func cropLength(from least: Int) -> Recipe.Length {
        chance(40) ? .percent(Double(number(least...10_000)) / 100) : .pixels(number(least...65_535))
    }

    private mutating func shift() -> Recipe.Length? {
        guard chance(70) else { return nil }
        return chance(40)
            ? .percent(Double(number(-10_000...10_000)) / 100) : .pixels(number(-16_384...16_384))
    }

    private mutating func cropMargin() -> Recipe.Length? {
        chance(30) ? .pixels(-number(1...(chance(50) ? 30 : 65_535))) : nil
    }

    private mutating func length() -> Recipe.Length {
        if chance(30) { return .percent(Double(Int.random(in: 1...100_000, using: &self)) / 100) }
        if chance(20) { return .percent(100) }
        return .pixels(Int.random(in: 1...(chance(50) ? 300 : 16_384), using: &self))
    }
}
