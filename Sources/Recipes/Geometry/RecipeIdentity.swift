// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The part of an `output=json` recipe that needs pixels: a rendition that is JSON instead of a picture,
    /// `{"average":"#c08040","thumbhash":"…"}`. It describes the source, so the box and the effects play no
    /// part.
    package var inspection: Recipe {
        var recipe = Recipe()
        recipe.output = .json
        recipe.jsonExtras = jsonExtras.intersection(.ofPixels)
        recipe.page = page
        return recipe
    }

    /// True for a description that asks for nothing of the pixels: the header tells it.
    package var isToldByHeader: Bool { output == .json && jsonExtras.isDisjoint(with: .ofPixels) }

    /// True if the recipe only re-encodes this picture: its size, colours, frames and timing stay. The
    /// original's bytes would then do as well, in the right format.
    ///
    /// A compression effort is no change. Neither is a quality, since the original's is the best there is.
    /// Interlacing is a change.
    package func leavesPixels(of header: ImageHeader) -> Bool {
        guard !folded.interlaced, onlyResizes(header) else { return false }
        return Geometry.plan(upright: header.upright, recipe: self).resized == header.upright
    }

    /// True if the recipe asks for nothing but a size and a coding of all of this picture's frames.
    package func onlyResizes(_ header: ImageHeader) -> Bool {
        changesNoColours(of: header)
            && Geometry.plan(upright: header.upright, recipe: self).placement == .whole
    }

    /// Whether the recipe only resizes, or cuts the resized picture at a place that is known before its pixels are.
    package func onlyResizesAndCuts(_ header: ImageHeader) -> Bool {
        guard changesNoColours(of: header) else { return false }
        switch Geometry.plan(upright: header.upright, recipe: self).placement {
        case .whole, .crop: return true
        case .cropByEntropy, .cropByAttention, .embed: return false
        }
    }

    /// True if the result has the gain map of this original, if it has one: of a JPEG that becomes a JPEG, and whose pixels are
    /// resized, cut and turned and nothing else. A map that was made for other pixels would lie.
    package func keepsGainMap(of header: ImageHeader) -> Bool {
        guard keepsGainMap, header.format == .jpeg, resolvedOutput(for: header) == .jpeg else { return false }
        var rest = folded
        if let crop, !crop.beforeResize, crop.anchor != .attention { rest.crop = nil }
        if rest.isQuarterTurn {
            (rest.rotation, rest.flip, rest.flop, rest.turnsFirst) = (0, false, false, false)
        }
        return rest.onlyResizesAndCuts(header)
    }

    /// True if all frames are wanted, and beside a coding nothing but what `Geometry` plans.
    private func changesNoColours(of header: ImageHeader) -> Bool {
        var rest = folded
        (rest.width, rest.height, rest.fit, rest.alignment) = (nil, nil, .inside, .center)
        (rest.withoutEnlargement, rest.focus, rest.shift) = (true, Focus(), PositionOffset())
        (rest.withoutReduction, rest.shrinksBox) = (false, false)
        rest.turnsBox = false
        (rest.aspect, rest.zoom, rest.leastWidth, rest.leastHeight) = (nil, 1, nil, nil)
        (rest.output, rest.pages, rest.quality, rest.lossless) = (.source, 1, nil, false)
        (rest.pngLevel, rest.adaptiveFilter, rest.interlaced, rest.jsonExtras) = (nil, nil, false, [])
        (rest.maxBytes, rest.keepsDrawing) = (nil, false)
        // The original's colours decide on the effect of the profile.
        rest.profile = .sRGB
        (rest.metadata, rest.keepsGainMap) = (.none, false)
        (rest.asIs, rest.formatQualities) = ([], [:])
        return rest == Recipe() && framesTaken(from: header) == header.pages
    }
}
