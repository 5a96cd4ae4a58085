// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// The requested size, and the canvas around the result.
extension ImgproxyDraft {
    func side(_ arguments: ImgproxyArguments, _ index: Int = 0) throws(ImgproxyRefusal) -> Int {
        try arguments.integer(0...Recipe.Length.pixelRange.upperBound, at: index, unit: " pixels")
    }

    mutating func takeResizing(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        guard let resizing = arguments.given(0).flatMap(Resizing.init(rawValue:)) else {
            throw arguments.refusal("fit, fill, fill-down, force or auto")
        }
        self.resizing = resizing
    }

    mutating func takeResize(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        if arguments.given(0) != nil { try takeResizing(arguments) }
        try takeSize(arguments.dropFirst())
    }

    mutating func takeSize(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(7, "width:height:enlarge:extend:gravity")
        if arguments.given(0) != nil { nameWidth(try side(arguments, 0)) }
        if arguments.given(1) != nil { height = try side(arguments, 1) }
        if arguments.given(2) != nil { enlarges = arguments.flag(2) }
        if arguments.given(3) != nil { try boxCanvas.take(arguments.dropFirst(3)) }
    }

    mutating func takeZoom(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(2, "one or two factors above 0")
        let x = try arguments.number(0.0001...1_000, at: 0)
        zoom = (x, arguments.texts.count > 1 ? try arguments.number(0.0001...1_000, at: 1) : x)
    }
}
