// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// The rectangle that is cut out before the resize.
extension ImgproxyDraft {
    /// The rectangle; nil for none, also if both sides are 0.
    var cut: (width: Double, height: Double, gravity: ImgproxyGravity?)? {
        crop.flatMap { $0.width > 0 || $0.height > 0 ? $0 : nil }
    }

    func readCrop(_ recipe: inout Recipe) throws(ImgproxyRefusal) {
        guard let crop = cut else { return }
        let gravity = crop.gravity ?? gravity
        var cut = Crop()
        cut.beforeResize = true
        if let x = span(crop.width, gravity, \.x), let y = span(crop.height, gravity, \.y) {
            (cut.x, cut.width) = x
            (cut.y, cut.height) = y
        } else {
            anchor(&cut, crop.width, crop.height, gravity)
        }
        recipe.crop = cut
    }

    /// Sets a cut at a place that depends on the picture's size.
    private func anchor(_ cut: inout Crop, _ width: Double, _ height: Double, _ gravity: ImgproxyGravity) {
        switch gravity {
        case .smart: cut.anchor = .attention
        case .focus(let point):
            cut.anchor = .point(
                FocalPoint(x: DecimalText.quantised(point.x), y: DecimalText.quantised(point.y)))
        case .side(let point, let x, let y):
            var place = Recipe()
            place.keep(point)
            cut.anchor = .side(place.alignment)
            // A side without a length is not cut, whatever its offset.
            if width > 0 { cut.x = Self.offset(x) }
            if height > 0 { cut.y = Self.offset(y) }
        }
        (cut.width, cut.height) = (
            width > 0 ? Self.length(width) : nil, height > 0 ? Self.length(height) : nil
        )
    }

    /// An offset; below 1 in either direction it is a fraction of the picture's side, else pixels.
    private static func offset(_ number: Double) -> Recipe.Length? {
        if number == 0 { return nil }
        if number.magnitude < 1 { return .percent(DecimalText.quantised(number * 100)) }
        let most = Double(Crop.pixelRange.upperBound)
        // Cannot trap: within ±65,535.
        return .pixels(Int(min(max(number, -most), most)))
    }

    /// Where the rectangle begins and how long it is, along one axis, from the top left; nil if that depends on the picture's size.
    private func span(
        _ length: Double, _ gravity: ImgproxyGravity, _ axis: KeyPath<FocalPoint, Double>
    ) -> (Recipe.Length?, Recipe.Length?)? {
        guard length > 0 else { return (nil, nil) }
        let size = Self.length(length)
        switch gravity {
        case .smart: break
        case .side(let point, let x, let y):
            let offset = axis == \.x ? x : y
            if point[keyPath: axis] == 0, offset >= 0 {
                return (offset == 0 ? nil : Self.length(offset), size)
            }
            guard length < 1, offset.magnitude < 1 else { break }
            let slack = 1 - length
            let start = point[keyPath: axis] == 1 ? slack - offset : slack * point[keyPath: axis] + offset
            return (Self.fraction(min(max(start, 0), slack)), size)
        case .focus(let point):
            guard length < 1 else { break }
            return (Self.fraction(min(max(point[keyPath: axis] - length / 2, 0), 1 - length)), size)
        }
        return nil
    }

    private static func length(_ number: Double) -> Recipe.Length {
        // Cannot trap: a number of 0…65,535.
        number < 1 ? .percent(DecimalText.quantised(number * 100)) : .pixels(Int(number))
    }

    private static func fraction(_ number: Double) -> Recipe.Length? {
        number == 0 ? nil : .percent(DecimalText.quantised(number * 100))
    }
}
