// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// Colours and the watermark.
extension ImgproxyDraft {
    mutating func takeBackground(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        switch arguments.texts.count {
        case 1: background = arguments.given(0) == nil ? nil : try arguments.colour()
        case 3:
            background = Color(
                red: try level(arguments, 0), green: try level(arguments, 1), blue: try level(arguments, 2))
        default: throw arguments.refusal("hexadecimal digits, or three numbers 0…255")
        }
    }

    func level(_ arguments: ImgproxyArguments, _ index: Int) throws(ImgproxyRefusal) -> UInt8 {
        UInt8(clamping: try arguments.integer(0...255, at: index))
    }

    mutating func takeWatermark(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(7, "opacity:position:x_offset:y_offset:scale")
        let opacity = try arguments.number(0...1, at: 0)
        let side = try watermarkSide(arguments)
        var position = Watermark.Position.tile
        if let side {
            var recipe = Recipe()
            recipe.keep(side)
            position = .at(recipe.alignment)
        }
        var shift = PositionOffset()
        for (index, axis, point) in [(2, \PositionOffset.x, side?.x), (3, \PositionOffset.y, side?.y)]
        where arguments.given(index) != nil {
            let offset = try arguments.number(-65_535...65_535, at: index)
            if opacity > 0 { try Self.mustLieWithin(offset, from: point, arguments) }
            shift[keyPath: axis] = ImgproxyPlace.Axis(point: 0, offset: offset).length
        }
        let scale = arguments.given(4) == nil ? 0 : try arguments.number(0.01...1, at: 4, or: true)
        watermark = opacity > 0 ? (opacity, position, shift, scale) : nil
    }

    /// Nil for one that is repeated.
    private func watermarkSide(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) -> FocalPoint? {
        guard let word = arguments.given(1) else { return FocalPoint() }
        if word == "re" { return nil }
        guard let side = ImgproxyGravity.sides[word] else {
            throw arguments.refusal("a position ce, no, so, ea, we, noea, nowe, soea, sowe or re")
        }
        return side
    }

    /// There, offsets of a repeated watermark are gaps, and one below 0 moves a watermark over the picture's edge.
    /// - Parameter point: where on the axis the offset begins; nil for a watermark that is repeated.
    private static func mustLieWithin(
        _ offset: Double, from point: Double?, _ arguments: ImgproxyArguments
    ) throws(ImgproxyRefusal) {
        guard let point else {
            guard offset == 0 else {
                throw .unsupported(
                    option: "\(arguments.name) with re and offsets",
                    reason: "Pictor repeats a watermark without gaps.")
            }
            return
        }
        guard offset >= 0 || point == 0.5 else {
            throw .unsupported(
                option: "\(arguments.name) with an offset below 0",
                reason: "Pictor keeps a watermark within the picture.")
        }
    }
}
