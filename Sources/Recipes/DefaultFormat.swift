// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The format of a result if neither the request nor the client's `Accept` names one. Each dialect has its own rule.
package enum DefaultFormat: Sendable, Hashable {
    /// With `output=auto`: JPEG, PNG if there is alpha, or GIF for an animation. Otherwise the original's own
    /// format.
    case common
    /// The original's own format, if it can be written.
    case own
    /// The original's own format if it is in the list, else the first in the list that can hold the result. All of
    /// them can be written, and the list is not empty.
    case among([ImageFormat])
}

extension Recipe {
    /// The format of a result whose recipe names none.
    func format(by usual: DefaultFormat, for header: ImageHeader) -> ImageFormat {
        let isMoving = wantsAnimation(of: header)
        switch usual {
        case .common where output == .auto: return isMoving ? .gif : withoutWebP(header)
        case .common, .own:
            var own = self
            (own.output, own.keepsDrawing) = (.source, false)
            return own.resolvedOutput(for: header)
        case .among(let formats):
            if formats.contains(header.format) { return header.format }
            let needsAlpha = leavesAlpha(in: header)
            let first = formats.first { (!isMoving || $0.canAnimate) && (!needsAlpha || $0 != .jpeg) }
            return first ?? formats.first ?? .jpeg
        }
    }

    /// The recipe with a format, if it names none and does not choose by the client's `Accept`.
    package func resolvingSource(by usual: DefaultFormat, for header: ImageHeader) -> Recipe {
        guard output == .source, usual != .common else { return self }
        var recipe = self
        recipe.output = .format(format(by: usual, for: header))
        return recipe
    }

    /// True if the original has several frames and the recipe wants them.
    func wantsAnimation(of header: ImageHeader) -> Bool {
        pages != 1 && header.format.canAnimate && header.pages > 1
    }

    /// True if this original is answered unchanged, before a format is chosen: as at imgproxy, whatever `Accept` says.
    package func handsOn(_ header: ImageHeader, by usual: DefaultFormat) -> Bool {
        guard case .among = usual, output == .source || output == .auto else { return false }
        return asIs.contains(header.format)
    }
}
