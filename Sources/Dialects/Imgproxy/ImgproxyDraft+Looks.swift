// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// Colours.
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
}
