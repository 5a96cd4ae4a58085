// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes
internal import SourceURLs

extension FilterRule {
    /// `watermark(image,x,y,alpha,w_ratio,h_ratio)`: alpha is 0 for an opaque watermark, and the ratios are percent of the picture's
    /// sides.
    static let watermark = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard draft.recipe.watermark == nil else {
            throw .unsupported(what: "watermark", reason: "Pictor lays one over a picture.")
        }
        guard let name = call.text(0), let sent = call.sent.first else {
            throw call.refusal("a picture, x, y, an alpha of 0…100, and ratios in percent")
        }
        // With `.forms`, a plus means a space in this name as well.
        let sources = draft.sources
        let url = try sources.spelling == .forms ? sources.url(of: Array(sent)) : sources.url(named: name)
        var watermark = Watermark(source: url.absolute)
        (watermark.position, watermark.shift) = try call.watermarkPlace(draft.sources.spelling)
        if call.arguments.count > 3 {
            guard let alpha = call.number(3), (0...100).contains(alpha) else {
                throw call.refusal("0…100 as the alpha, 0 for an opaque watermark")
            }
            watermark.opacity = DecimalText.quantised(1 - alpha / 100)
        }
        (watermark.scale, watermark.heightScale) = try call.watermarkRatios(draft.sources.spelling)
        draft.recipe.watermark = watermark
    }
}

extension FilterCall {
    /// The position: from the left and the top, if negative from the right and the bottom; or in the middle, or repeated one way
    /// or both.
    fileprivate func watermarkPlace(
        _ spelling: OperationSources.Spelling
    ) throws(OperationRefusal) -> (Watermark.Position, PositionOffset) {
        let (x, y) = (text(1) ?? "0", text(2) ?? "0")
        if x == "repeat", y == "repeat" { return (.tile, PositionOffset()) }
        let (alignment, shift) = try place(
            x == "repeat" ? "center" : x, y == "repeat" ? "center" : y, spelling)
        if x == "repeat" { return (.row(alignment), shift) }
        if y == "repeat" { return (.column(alignment), shift) }
        return (.at(alignment), shift)
    }

    /// The position of a picture or a text that is laid over, from its x and y, of which none is `repeat`.
    /// - Parameter spelling: with `.forms`, 0.5 means half of the picture, and `left-20` means 20 pixels beyond the edge, which is
    ///   refused.
    func place(
        _ x: String, _ y: String, _ spelling: OperationSources.Spelling
    ) throws(OperationRefusal) -> (alignment: Recipe.Alignment, shift: PositionOffset) {
        if spelling == .forms, [x, y].contains(where: WatermarkSide.isBeyond) {
            throw .unsupported(what: name, reason: "Pictor keeps what it lays over a picture within it.")
        }
        guard let across = WatermarkSide(x, ["left", "l"], ["right", "r"], spelling),
            let down = WatermarkSide(y, ["top", "t"], ["bottom", "b"], spelling)
        else {
            let pixels = PositionOffset.pixelRange.upperBound
            throw refusal(
                "as x and y −\(pixels)…\(pixels) pixels, −100p…100p percent, left, center, right, top, bottom, or repeat"
            )
        }
        var shift = PositionOffset()
        (shift.x, shift.y) = (across.shift, down.shift)
        return (Recipe.Alignment(across: across.place, down: down.place), shift)
    }

    /// The ratios. In thumbor a single ratio counts. With `.forms` either both are given or neither counts, and `none` means the
    /// whole side (`watermark` in imagor's processor/vipsprocessor/filteroverlay.go).
    fileprivate func watermarkRatios(
        _ spelling: OperationSources.Spelling
    ) throws(OperationRefusal) -> (width: Double?, height: Double?) {
        guard spelling == .escapes || arguments.count > 5 else { return (nil, nil) }
        let (width, height) = (try watermarkRatio(4, of: "width"), try watermarkRatio(5, of: "height"))
        if spelling == .forms, width == nil, height == nil { return (1, 1) }
        return (width, height)
    }

    /// A ratio; nil for none.
    private func watermarkRatio(_ index: Int, of side: String) throws(OperationRefusal) -> Double? {
        guard let text = text(index), text != "none" else { return nil }
        guard let percent = number(index), (1...100).contains(percent) else {
            throw refusal("1…100 percent as the ratio of the \(side), or none")
        }
        return DecimalText.quantised(percent / 100)
    }
}

/// The position of a watermark along one axis.
private struct WatermarkSide {
    /// −1 at the start, 0 in the middle, 1 at the end.
    let place: Int
    let shift: Recipe.Length?

    init?(_ text: String, _ start: [String], _ end: [String], _ spelling: OperationSources.Spelling) {
        if start.contains(text) || end.contains(text) || text == "center" {
            (place, shift) = (text == "center" ? 0 : start.contains(text) ? -1 : 1, nil)
            return
        }
        if spelling == .forms, let part = Self.part(text) {
            (place, shift) = part
            return
        }
        let isFromEnd = text.hasPrefix("-")
        let isPercent = text.hasSuffix("p")
        let digits = text.dropFirst(isFromEnd ? 1 : 0).dropLast(isPercent ? 1 : 0)
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit), let number = Int(digits),
            number <= (isPercent ? 100 : PositionOffset.pixelRange.upperBound)
        else { return nil }
        // thumbor looks at the sign, and imagor at the number: there, -0 is 0 (`compositeOverlay` in overlay.go).
        place = isFromEnd && (spelling == .escapes || number > 0) ? 1 : -1
        shift = isPercent ? .percent(Double(number)) : .pixels(number)
    }

    /// Reads `0.5`, and `-0.5`, which counts from the other side.
    private static func part(_ text: String) -> (place: Int, shift: Recipe.Length?)? {
        let isFromEnd = text.hasPrefix("-")
        let digits = String(text.dropFirst(isFromEnd ? 1 : 0))
        guard digits.hasPrefix("0."), let part = DecimalText.read(digits) else { return nil }
        return (isFromEnd && part > 0 ? 1 : -1, .percent(DecimalText.quantised(part * 100)))
    }

    /// True for `left-20` and the like.
    static func isBeyond(_ text: String) -> Bool {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let side = parts.first, let digits = parts.last else { return false }
        return ["left", "l", "right", "r", "top", "t", "bottom", "b"].contains(side) && !digits.isEmpty
            && digits.utf8.allSatisfy(\.isASCIIDigit)
    }
}
