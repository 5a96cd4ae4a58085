// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// Cuts, margins and turns.
extension ImgproxyDraft {
    mutating func takeCrop(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(5, "width:height:gravity")
        let range = 0.0...Double(Crop.pixelRange.upperBound)
        let unit = " pixels, below 1 a part of the side"
        let width = try arguments.number(range, at: 0, unit: unit)
        let height =
            arguments.given(1) == nil ? crop?.height ?? 0 : try arguments.number(range, at: 1, unit: unit)
        let gravity =
            arguments.given(2) == nil
            ? crop?.gravity : try arguments.dropFirst(2).gravity(after: crop?.gravity)
        crop = (width, height, gravity)
    }

    mutating func takeTrim(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(4, "threshold:colour:equal_hor:equal_ver")
        guard arguments.given(0) != nil else {
            trim = nil
            return
        }
        // Cannot trap: a number of 0…255. The ends would match everything and nothing, so the nearest thresholds that are allowed
        // replace them.
        let threshold = min(max(Int(try arguments.number(0...255, at: 0).rounded()), 1), 254)
        // In imgproxy magenta means a transparent border, which the corner's own colour stands for here.
        let colour = arguments.given(1) == nil ? nil : try arguments.colour(1)
        if arguments.flag(2) || arguments.flag(3) {
            throw .unsupported(
                option: "\(arguments.name) with equal_hor or equal_ver",
                reason: "Pictor trims the whole border.")
        }
        trim = Trim(
            threshold: threshold, color: colour == Color(red: 255, green: 0, blue: 255) ? nil : colour)
    }

    /// As in CSS, a missing side equals the opposite one. A missing top keeps its value.
    mutating func takePadding(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(4, "top:right:bottom:left")
        let top = arguments.given(0) == nil ? padding?.first ?? 0 : try side(arguments, 0)
        let right = arguments.given(1) == nil ? top : try side(arguments, 1)
        let bottom = arguments.given(2) == nil ? top : try side(arguments, 2)
        padding = Clockwise(top, right, bottom, arguments.given(3) == nil ? right : try side(arguments, 3))
    }

    mutating func takeFlip(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(2, "horizontal:vertical")
        if arguments.given(0) != nil { mirrorsAcross = arguments.flag(0) }
        if arguments.given(1) != nil { mirrorsDown = arguments.flag(1) }
    }

    mutating func takeRotation(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        let turns = try arguments.integer(-36_000_000...36_000_000, unit: " in steps of 90")
        guard turns.isMultiple(of: 90) else { throw arguments.refusal("multiples of 90") }
        degrees = (turns % 360 + 360) % 360
    }
}
