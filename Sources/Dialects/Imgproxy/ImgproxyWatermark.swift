// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// The watermark as options describe it. Each option may leave out everything except the opacity; the rest keeps its earlier value.
struct ImgproxyWatermark {
    /// 0 = no watermark.
    private(set) var opacity = 0.0
    /// Its place, from which the offsets are measured; nil if it is repeated.
    private var side: FocalPoint? = FocalPoint()
    private var offset = (x: 0.0, y: 0.0)
    /// The fraction of the picture's sides that bounds it; 0 = its own size.
    private var scale = 0.0

    mutating func take(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(7, "opacity:position:x_offset:y_offset:scale")
        opacity = try arguments.number(0...1, at: 0)
        if let word = arguments.given(1) { side = try Self.side(word, arguments) }
        if arguments.given(2) != nil { offset.x = try arguments.number(-65_535...65_535, at: 2) }
        if arguments.given(3) != nil { offset.y = try arguments.number(-65_535...65_535, at: 3) }
        if arguments.given(4) != nil { scale = try arguments.number(0.01...1, at: 4, or: true) }
    }

    /// Reads the place; nil for a watermark that is repeated.
    private static func side(
        _ word: String, _ arguments: ImgproxyArguments
    ) throws(ImgproxyRefusal) -> FocalPoint? {
        if word == "re" { return nil }
        guard let side = ImgproxyGravity.sides[word] else {
            throw arguments.refusal("a position ce, no, so, ea, we, noea, nowe, soea, sowe or re")
        }
        return side
    }

    func drawn(_ source: String) throws(ImgproxyRefusal) -> Watermark {
        try mustLieWithin(offset.x, from: side?.x)
        try mustLieWithin(offset.y, from: side?.y)
        var position = Watermark.Position.tile
        if let side {
            var recipe = Recipe()
            recipe.keep(side)
            position = .at(recipe.alignment)
        }
        let scale = scale > 0 ? scale : nil
        var watermark = Watermark(source: source, position: position, scale: scale, opacity: opacity)
        // Applies to both sides: the watermark fits within that fraction of the picture, in its own shape.
        watermark.heightScale = scale
        watermark.shift.x = ImgproxyPlace.Axis(point: 0, offset: offset.x).length
        watermark.shift.y = ImgproxyPlace.Axis(point: 0, offset: offset.y).length
        return watermark
    }

    /// Refuses offsets that Pictor cannot apply: in imgproxy, offsets of a repeated watermark are gaps, and a negative offset moves a
    /// watermark over the picture's edge.
    /// - Parameter point: where on the axis the offset begins; nil for a repeated watermark.
    private func mustLieWithin(_ offset: Double, from point: Double?) throws(ImgproxyRefusal) {
        guard let point else {
            guard offset == 0 else {
                throw .unsupported(
                    option: "watermark with re and offsets",
                    reason: "Pictor repeats a watermark without gaps.")
            }
            return
        }
        guard offset >= 0 || point == 0.5 else {
            throw .unsupported(
                option: "watermark with an offset below 0",
                reason: "Pictor keeps a watermark within the picture.")
        }
    }
}
