// SPDX-License-Identifier: Apache-2.0
//
// Parameters that multiply others may exceed the range that the others allow. Canonicalisation would clamp such a product
// silently, so it is refused instead.

internal import Recipes

/// A parameter whose product is out of range, and the words for what is allowed.
struct ExcessProduct {
    let parameter: String
    let allowed: String

    fileprivate init(_ parameter: String, keeps what: String) {
        self.parameter = parameter
        allowed = "what keeps \(what)"
    }
}

extension Recipe {
    /// The parameter whose product is out of range; nil if there is none.
    var excess: ExcessProduct? {
        let sides = "w and h within \(ValueGrammar<Length>.length.words)"
        if boxExceeds(times: zoom) { return ExcessProduct("zoom", keeps: sides) }
        if boxExceeds(times: zoom * pixelRatio) { return ExcessProduct("dpr", keeps: sides) }
        if ratioExceeds { return ExcessProduct("ar", keeps: sides) }
        if isCutByRatioAlone, zoom * pixelRatio < Self.zoomRange.lowerBound {
            let words = ValueGrammar<Double>.decimal(Self.zoomRange).words
            return ExcessProduct("dpr", keeps: "zoom within \(words)")
        }
        let edges = [padding?.sides, radii?.across, radii?.down].compactMap(\.self).flatMap(\.shortest)
        if (edges + [leastWidth, leastHeight].compactMap(\.self)).contains(where: {
            exceeds($0, Length.pixelRange)
        }) {
            let words = ValueGrammar<Int>.integer(Length.pixelRange).words
            return ExcessProduct("dpr", keeps: "minw, minh, pad and radius within \(words) pixels")
        }
        guard let block, exceeds(block, Self.blockRange) else { return nil }
        let words = ValueGrammar<Int>.integer(Self.blockRange).words
        return ExcessProduct("dpr", keeps: "pixelate within \(words) pixels")
    }

    private func exceeds(_ pixels: Int, _ range: ClosedRange<Int>) -> Bool {
        (Double(pixels) * pixelRatio).rounded() > Double(range.upperBound)
    }

    private func boxExceeds(times ratio: Double) -> Bool {
        let sides = width == nil && height == nil && zoom != 1 ? [.percent(100)] : [width, height]
        return sides.contains { length in
            switch length {
            case nil: false
            case .pixels(let pixels):
                (Double(pixels) * ratio).rounded() > Double(Length.pixelRange.upperBound)
            case .percent(let percent): percent * ratio > Length.percentRange.upperBound
            }
        }
    }

    /// True if the side that follows from the other one is out of range.
    private var ratioExceeds: Bool {
        guard let aspect else { return false }
        let ratio = Double(aspect.width) / Double(aspect.height)
        let side: Double
        switch (width, height) {
        case (.pixels(let pixels)?, nil): side = Double(pixels) / ratio
        case (nil, .pixels(let pixels)?): side = Double(pixels) * ratio
        default: return false
        }
        return (side * zoom * pixelRatio).rounded() > Double(Length.pixelRange.upperBound)
    }
}
