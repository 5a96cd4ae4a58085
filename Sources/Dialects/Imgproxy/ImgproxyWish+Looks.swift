// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// Colours and the watermark.
extension ImgproxyWish {
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
}
