// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The part of an `output=json` recipe that needs pixels: a rendition that is JSON instead of a picture,
    /// `{"average":"#c08040","thumbhash":"…"}`. It describes the source, so the box and the effects are left
    /// out.
    package var inspection: Recipe {
        var recipe = Recipe()
        recipe.output = .json
        recipe.jsonExtras = jsonExtras.intersection(.ofPixels)
        recipe.page = page
        return recipe
    }

    /// True for a description that needs no pixels, because the header suffices.
    package var isToldByHeader: Bool { output == .json && jsonExtras.isDisjoint(with: .ofPixels) }

    /// True if the recipe only re-encodes this picture, with its size, colours, frames and timing. The
    /// original's bytes would then be as good, if they have the right format.
    ///
    /// A compression effort does not count as a change. Neither does a quality, because the original's cannot
    /// be surpassed. Interlacing counts as a change.
    package func leavesPixels(of header: ImageHeader) -> Bool {
        guard !canonicalised.interlaced, onlyResizes(header) else { return false }
        return Geometry.plan(upright: header.upright, recipe: self).resized == header.upright
    }

    /// True if the recipe asks only for a size and an encoding of all this picture's frames.
    func onlyResizes(_ header: ImageHeader) -> Bool {
        changesNoColours(of: header)
            && Geometry.plan(upright: header.upright, recipe: self).placement == .whole
    }

    /// True if the recipe only resizes, or also cuts the resized picture at a place that does not depend on pixels.
    package func onlyResizesAndCuts(_ header: ImageHeader) -> Bool {
        guard changesNoColours(of: header) else { return false }
        switch Geometry.plan(upright: header.upright, recipe: self).placement {
        case .whole, .crop: return true
        case .cropByEntropy, .cropByAttention, .embed: return false
        }
    }

    /// True if the result keeps this original's gain map, if there is one: a JPEG that becomes a JPEG, and is only resized, cut
    /// and turned. For other changes the map would be wrong.
    package func keepsGainMap(of header: ImageHeader) -> Bool {
        guard keepsGainMap, header.format == .jpeg, resolvedOutput(for: header) == .jpeg else { return false }
        var rest = canonicalised
        if let crop, !crop.beforeResize, crop.anchor != .attention { rest.crop = nil }
        if rest.isQuarterTurn {
            (rest.rotation, rest.flip, rest.flop, rest.turnsFirst) = (0, false, false, false)
        }
        return rest.onlyResizesAndCuts(header)
    }

    /// True if all frames are wanted, and nothing else is asked than an encoding and what `Geometry` plans.
    private func changesNoColours(of header: ImageHeader) -> Bool {
        var rest = canonicalised
        (rest.width, rest.height, rest.fit, rest.alignment) = (nil, nil, .inside, .center)
        (rest.withoutEnlargement, rest.focus, rest.shift) = (true, Focus(), PositionOffset())
        (rest.withoutReduction, rest.shrinksBox) = (false, false)
        rest.turnsBox = false
        (rest.aspect, rest.zoom, rest.leastWidth, rest.leastHeight) = (nil, 1, nil, nil)
        (rest.output, rest.pages, rest.quality, rest.lossless) = (.source, 1, nil, false)
        (rest.pngLevel, rest.adaptiveFilter, rest.interlaced, rest.jsonExtras) = (nil, nil, false, [])
        (rest.maxBytes, rest.keepsDrawing) = (nil, false)
        // Whether the profile changes anything depends on the original's colours.
        rest.profile = .sRGB
        (rest.metadata, rest.keepsGainMap) = (.none, false)
        (rest.asIs, rest.formatQualities) = ([], [:])
        return rest == Recipe() && framesTaken(from: header) == header.pages
    }
}
