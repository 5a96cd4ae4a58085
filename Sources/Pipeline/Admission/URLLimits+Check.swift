// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes
internal import RequestGrammar

extension URLLimits {
    /// Checks an original that is passed on without rendering.
    /// - Throws: `.beyondOwnLimit`.
    func check(_ original: Original) throws(DecodeFailure) {
        try check(original, page: 0, frames: 1)
    }

    /// - Parameter recipe: must be resolved.
    /// - Throws: `.beyondOwnLimit`.
    func check(_ original: Original, for recipe: Recipe) throws(DecodeFailure) {
        guard self != .none else { return }
        guard recipe.output.isMade else { return try check(original) }
        try check(original, page: recipe.page, frames: recipe.framesTaken(from: original.header))
        try check(recipe.resultSize(for: original.header))
    }

    /// Checks the finished rendition, which may be longer after a trim than the original's header predicted.
    /// - Throws: `.beyondOwnLimit`.
    func check(_ rendition: Rendition) throws(DecodeFailure) {
        try check(PixelSize(width: rendition.width, height: rendition.height))
    }

    private func check(_ size: PixelSize) throws(DecodeFailure) {
        guard let side else { return }
        guard max(size.width, size.height) <= side else { throw .beyondOwnLimit("\(side) pixels a side") }
    }

    private func check(_ original: Original, page: Int, frames: Int) throws(DecodeFailure) {
        let header = original.header
        if let bytes, original.length > bytes { throw .beyondOwnLimit("\(bytes) bytes") }
        var (limit, counted) = (pixels ?? .max, frames)
        if let framePixels, header.format.canAnimate, header.pages > 1 { (limit, counted) = (framePixels, 1) }
        guard header.pixels(ofPage: page) <= limit / max(1, counted) else {
            throw .beyondOwnLimit("\(limit) pixels")
        }
    }
}
