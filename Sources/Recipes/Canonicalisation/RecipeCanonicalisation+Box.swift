// SPDX-License-Identifier: Apache-2.0

/// Size, box and fit.
extension Recipe {
    /// A zoom only multiplies the lengths, or the picture if there are none. It stays if a ratio alone makes the box, because
    /// that box depends on the picture.
    mutating func canonicaliseZoom() {
        guard zoom != 1, !isCutByRatioAlone else { return }
        // A ratio that makes no box of the whole picture makes none of a part of it either.
        if width == nil, height == nil { (width, aspect) = (.percent(100), nil) }
        width = width?.multiplied(by: zoom)
        height = height?.multiplied(by: zoom)
        zoom = 1
    }

    /// A ratio and a side in pixels give the other side. Without a side, only some fits use the ratio.
    mutating func canonicaliseAspect() {
        guard let aspect else { return }
        let range = Length.pixelRange
        func side(_ pixels: Int) -> Length { .pixels(Swift.min(pixels, range.upperBound)) }
        switch (width, height) {
        case (.pixels(let pixels)?, nil): (height, self.aspect) = (side(aspect.height(of: pixels)), nil)
        case (nil, .pixels(let pixels)?): (width, self.aspect) = (side(aspect.width(of: pixels)), nil)
        case (_?, _?): self.aspect = nil
        case (nil, nil) where !isCutByRatioAlone: self.aspect = nil
        default: break
        }
    }

    /// The ratio only multiplies lengths, so they are multiplied here, clamped to their ranges.
    mutating func canonicalisePixelRatio() {
        scaleBox(by: pixelRatio)
        scaleEdges(by: pixelRatio)
        scaleLeast(by: pixelRatio)
        pixelRatio = 1
    }

    /// 100 % of every given side is the original size, under any fit.
    mutating func canonicaliseWholeSize() {
        if aspect == nil, Self.isWhole(width), Self.isWhole(height) { (width, height) = (nil, nil) }
        if leastWidth == 1 { leastWidth = nil }
        if leastHeight == 1 { leastHeight = nil }
    }

    private static func isWhole(_ length: Length?) -> Bool {
        switch length {
        case nil: true
        case .percent(let percent): percent == 100
        case .pixels: false
        }
    }

    /// With one side given, the other follows from the ratio under every fit, and nothing is cropped or padded. The exception is a
    /// picture that may not grow: it lies on a canvas as long as the given side. Only `cover` and `contain` use the alignment (and
    /// `auto`, which may be `cover`), only `cover` can search for an interesting part, only `contain` has bars. A focal point in the
    /// middle equals the centre (`Geometry` rounds both alike).
    mutating func canonicaliseFit() {
        if aspect == nil, width == nil || height == nil, !extendsOneSide { fit = .inside }
        if !isPlacing { alignment = .center }
        if fit == .contain, alignment == .entropy || alignment == .attention { alignment = .center }
        if alignment != .focal { focus = Focus() }
        if alignment == .focal, focus == Focus() { alignment = .center }
        if fit != .contain { containBlur = nil }
        if fit != .contain || containBlur != nil { containSample = nil }
        if fit != .contain || containBlur != nil || containSample != nil { containBackground = .transparent }
        shift = isPlacing && alignment.sides != nil ? shift.canonicalised : PositionOffset()
    }

    /// True for `contain` with one side, which may be longer than the picture's.
    private var extendsOneSide: Bool {
        fit == .contain && withoutEnlargement && (Self.mayEnlarge(width) || Self.mayEnlarge(height))
    }

    /// Percentages up to 100 do not enlarge; neither does a missing size, because nothing is resized. A ratio makes a box as
    /// large as the picture allows. But a side that follows from a percentage and a ratio, or that is exchanged with the other,
    /// may be longer than the picture's.
    mutating func canonicaliseEnlargement() {
        // A square box is the same when it is turned.
        if aspect == nil, width == nil || height == nil { turnsBox = false }
        if let aspect, aspect.width == aspect.height { turnsBox = false }
        if case .pixels = width, width == height { turnsBox = false }
        let mayEnlarge =
            Self.mayEnlarge(width) || Self.mayEnlarge(height) || zoom > 1
            || aspect != nil && (width != nil || height != nil || turnsBox)
        if !mayEnlarge { withoutEnlargement = true }
        if !mayReduce, aspect == nil { withoutReduction = false }
        // Only a picture that may not grow can be too small for its box.
        if !isPlacing || !withoutEnlargement || !mayEnlarge { shrinksBox = false }
        // A box with one side has the picture's own shape.
        if aspect == nil, width == nil || height == nil { shrinksBox = false }
        if !hasSize, !tellsOtherWidths { linear = false }
    }

    private static func mayEnlarge(_ length: Length?) -> Bool {
        switch length {
        case nil: false
        case .pixels: true
        case .percent(let percent): percent > 100
        }
    }

    /// Percentages from 100 on do not reduce.
    private var mayReduce: Bool { Self.mayReduce(width) || Self.mayReduce(height) }

    private static func mayReduce(_ length: Length?) -> Bool {
        switch length {
        case nil: false
        case .pixels: true
        case .percent(let percent): percent < 100
        }
    }
}
