// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The format of a result for which neither its request nor the client's `Accept` names one. Each service has its own way.
package enum DefaultFormat: Sendable, Hashable {
    /// With `output=auto` JPEG, PNG where there is alpha, or GIF for an animation; else the original's own.
    case common
    /// The original's own, if it can be written.
    case own
    /// The original's own if it is one of these formats, else the first of them that can hold the result. All can be
    /// written, and there is one.
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

    /// The recipe with a format where it names none, and has none by the client's `Accept`.
    package func resolvingSource(by usual: DefaultFormat, for header: ImageHeader) -> Recipe {
        guard output == .source, usual != .common else { return self }
        var recipe = self
        recipe.output = .format(format(by: usual, for: header))
        return recipe
    }

    /// Several frames are there, and wanted.
    func wantsAnimation(of header: ImageHeader) -> Bool {
        pages != 1 && header.format.canAnimate && header.pages > 1
    }

    /// True if this original is the answer, as it came, before a format is chosen: as at imgproxy, whatever `Accept` says.
    package func handsOn(_ header: ImageHeader, by usual: DefaultFormat) -> Bool {
        guard case .among = usual, output == .source || output == .auto else { return false }
        return asIs.contains(header.format)
    }
}
