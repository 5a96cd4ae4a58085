// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Glibc
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// The turns of a recipe that turns first: right after the resize, or before the rectangle is cut out of the
    /// original.
    mutating func turnFirst() throws(ImagingFailure) {
        guard recipe.turnsFirst else { return }
        try turnQuarters()
        try mirror()
    }

    /// The turns and the mirroring that `turnFirst` has not done.
    mutating func turn() throws(ImagingFailure) {
        if !recipe.turnsFirst { try turnQuarters() }
        try rotate()
        if !recipe.turnsFirst { try mirror() }
    }

    /// Moves pixels without changing them.
    private mutating func turnQuarters() throws(ImagingFailure) {
        let quarters = recipe.rotation / 90
        guard quarters != 0, recipe.isQuarterTurn else { return }
        try change { (page) throws(ImagingFailure) in try page.buffered().turned(Int32(quarters)) }
    }

    /// Rotates by an angle that is no quarter turn. The canvas is the smallest that holds the whole picture.
    private mutating func rotate() throws(ImagingFailure) {
        guard !recipe.isQuarterTurn else { return }
        let (angle, colour) = (recipe.rotation, recipe.rotationBackground)
        try checkSize(picture.size.turned(by: angle))
        try change { (page) throws(ImagingFailure) in try page.rotated(by: angle, on: colour) }
    }
}

extension PixelSize {
    /// The size of the canvas that holds the turned picture, within a pixel.
    fileprivate func turned(by degrees: Double) -> PixelSize {
        let (cosine, sine) = (abs(cos(degrees * .pi / 180)), abs(sin(degrees * .pi / 180)))
        return PixelSize(
            width: Int((Double(width) * cosine + Double(height) * sine).rounded()),
            height: Int((Double(width) * sine + Double(height) * cosine).rounded()))
    }
}

extension Picture {
    fileprivate func rotated(by angle: Double, on colour: Color) throws(ImagingFailure) -> Picture {
        let coloured = colour.isGrey ? self : try coloured()
        let base = colour.isOpaque ? coloured : try coloured.translucent()
        var background = colour.numbers(bands: base.facts.bands).map { $0 * Double(colour.alpha) / 255 }
        if base.hasAlpha {
            let alpha = Double(colour.alpha)
            background.removeLast()
            background += [alpha, cvips_room(alpha)]
        }
        let numbers = background
        return try base.premultipliedWithRoom { (picture) throws(ImagingFailure) in
            try picture.buffered().rotated(by: angle, background: numbers)
        }
    }
}
