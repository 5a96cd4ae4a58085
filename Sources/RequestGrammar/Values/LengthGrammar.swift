// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension ValueGrammar where Value == Clockwise {
    /// One to four numbers with commas between them.
    static func clockwise(_ start: String) -> Self {
        let pixels = ValueGrammar<Int>.integer(Clockwise.pixelRange)
        let words = "\(pixels.words) pixels; or two, three or four of them with commas, \(start), as in CSS"
        return ValueGrammar(words: words) { text in
            ValueGrammar<Int>.list(of: text, upTo: 4, read: pixels.read).flatMap { Clockwise($0) }
        } write: {
            $0.shortest.map(pixels.write).joined(separator: ",")
        }
    }
}

extension ValueGrammar where Value == Radii {
    /// The radii of circles; or for ellipses the radii across, a slash, and the radii down (CSS Backgrounds and Borders 3, §4.1).
    static var radii: Self {
        let corners = ValueGrammar<Clockwise>.clockwise("from the top left")
        return ValueGrammar(words: "\(corners.words), then behind a / those along the left and right") {
            text in
            let parts = (text ?? "").split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.count <= 2, let across = parts.first.flatMap(corners.read),
                let down = parts.last.flatMap(corners.read)
            else { return nil }
            return Radii(across, down)
        } write: {
            let across = corners.write($0.across)
            return $0.across == $0.down ? across : "\(across)/\(corners.write($0.down))"
        }
    }
}

extension ValueGrammar where Value == Focus.Distance {
    /// A fraction, or pixels with their unit.
    static var focalDistance: Self {
        let fraction = ValueGrammar<Double>.decimal(Focus.Distance.fractionRange)
        let pixels = ValueGrammar<Double>.decimal(Focus.Distance.pixelRange)
        return ValueGrammar(words: "\(fraction.words), or \(pixels.words) with px", shape: fraction.shape) {
            text in
            guard let text, text.hasSuffix("px") else { return fraction.read(text).map { .fraction($0) } }
            return pixels.read(String(text.dropLast(2))).map { .pixels($0) }
        } write: {
            switch $0 {
            case .fraction(let number): fraction.write(number)
            case .pixels(let number): pixels.write(number) + "px"
            }
        }
    }
}

extension ValueGrammar where Value == AspectRatio {
    /// Two numbers with a colon between them, or their quotient.
    static var aspectRatio: Self {
        let side = ValueGrammar<Int>.integer(AspectRatio.range)
        let quotient = ValueGrammar<Double>.decimal(AspectRatio.quotients)
        return ValueGrammar(
            words: "two of \(side.words) with a colon, as 16:9, or their quotient, \(quotient.words)"
        ) {
            text in
            guard let text, text.utf8.contains(UInt8(ascii: ":")) else {
                return quotient.read(text).map { AspectRatio($0) }
            }
            let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let width = side.read(parts[0]), let height = side.read(parts[1]) else {
                return nil
            }
            return AspectRatio(width, height)
        } write: {
            "\(side.write($0.width)):\(side.write($0.height))"
        }
    }
}

extension ValueGrammar where Value == Crop.Anchor {
    /// A side or a corner, a point, or the most eye-catching part.
    static var cropAnchor: Self {
        let sides = ValueGrammar<Recipe.Alignment>.alignment(Crop.sides)
        let fraction = ValueGrammar<Double>.decimal(Focus.Distance.fractionRange)
        return ValueGrammar(
            words:
                "\(sides.words) `attention`, or a point as two fractions \(fraction.words) with a colon, as 0.3:0.7",
            shape: sides.shape.adding("attention")
        ) { text in
            if text == "attention" { return .attention }
            if let side = sides.read(text) { return .side(side) }
            let parts = (text ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let x = fraction.read(parts[0]), let y = fraction.read(parts[1]) else {
                return nil
            }
            return .point(FocalPoint(x: x, y: y))
        } write: {
            switch $0 {
            case .attention: "attention"
            case .side(let side): sides.write(side)
            case .point(let point): "\(fraction.write(point.x)):\(fraction.write(point.y))"
            }
        }
    }
}

extension ValueGrammar where Value == Recipe.Length {
    /// A side of the box.
    static var length: Self {
        lengths(pixels: Recipe.Length.pixelRange, percent: Recipe.Length.percentRange)
    }

    /// A distance from a position.
    static var shift: Self {
        lengths(pixels: PositionOffset.pixelRange, percent: PositionOffset.percentRange)
    }

    /// A width at which lines are broken.
    static var textWidth: Self { lengths(pixels: Recipe.Length.pixelRange, percent: 0.01...100) }

    /// An edge of the rectangle to keep.
    static var cropOffset: Self {
        let (pixels, percent) = (Crop.pixelRange.upperBound, Crop.percentRange.upperBound)
        return lengths(pixels: -pixels...pixels, percent: -percent...percent)
    }

    /// A side of the rectangle to keep. A negative number ends the rectangle that far before the picture's edge.
    static var cropLength: Self {
        let most = Crop.pixelRange.upperBound
        let length = lengths(pixels: 1...most, percent: 0.01...Crop.percentRange.upperBound)
        let margin = ValueGrammar<Int>.integer(-most...(-1))
        return ValueGrammar(
            words: "\(length.words); \(margin.words) leave so many pixels at the far edge", shape: .length
        ) { text in
            guard let text, text.hasPrefix("-") else { return length.read(text) }
            return margin.read(text).map { .pixels($0) }
        } write: {
            length.write($0)
        }
    }

    private static func lengths(pixels: ClosedRange<Int>, percent: ClosedRange<Double>) -> Self {
        let pixels = ValueGrammar<Int>.integer(pixels)
        let percent = ValueGrammar<Double>.decimal(percent)
        return ValueGrammar(
            words: "\(pixels.words) pixels, or \(percent.words) with % (in a URL: %25)", shape: .length
        ) {
            text in
            guard let text, text.hasSuffix("%") else { return pixels.read(text).map { .pixels($0) } }
            return percent.read(String(text.dropLast())).map { .percent($0) }
        } write: {
            switch $0 {
            case .pixels(let number): pixels.write(number)
            case .percent(let number): percent.write(number) + "%"
            }
        }
    }
}
