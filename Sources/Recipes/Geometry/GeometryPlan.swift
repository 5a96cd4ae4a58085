// SPDX-License-Identifier: Apache-2.0
//
// Sizes as sharp computes them (its `ResolveShrink`), in whole numbers: each side is the picture's side times
// a fraction, rounded half up, at least one pixel. Sides are below 2³¹, so no product overflows.

package import ImageHeaders

extension Geometry {
    /// The plan for a picture, in pixels as it is meant to be seen; sides are clamped to 1…2³¹−1. If the
    /// recipe turns or crops before the resize, `upright` is the result of that. With `withoutEnlargement` a
    /// picture that is too small keeps its size: `cover` then fills only a part of the box, `contain` puts the
    /// picture on the whole box.
    package static func plan(upright: PixelSize, recipe: Recipe) -> Geometry {
        var recipe = recipe.canonicalised
        let source = PixelSize(width: clamp(upright.width), height: clamp(upright.height))
        let (width, height) = recipe.turnedBox(of: source)
        if recipe.fit == .auto { recipe.fit = fit(of: source, width, height) }
        let resized = resize(source, width, height, recipe)
        // A crop before the resize sees the turned picture, so the turn has been done already.
        let lies = recipe.liesDownFirst && recipe.crop?.beforeResize != true
        let point = recipe.focus.point(in: lies ? source.lyingDown : source)
        var plan = place(lies ? resized.lyingDown : resized, width, height, recipe, point)
        plan.resized = resized
        plan.focalPoint = point
        plan.padded = recipe.padded(plan.canvas)
        return plan
    }

    /// The fit that `auto` stands for.
    static func fit(of picture: PixelSize, _ width: Int?, _ height: Int?) -> Recipe.Fit {
        guard let width, let height else { return .inside }
        return (picture.width >= picture.height) == (width >= height) ? .cover : .inside
    }

    private static func place(
        _ picture: PixelSize, _ width: Int?, _ height: Int?, _ recipe: Recipe, _ point: FocalPoint
    ) -> Geometry {
        guard width != nil || height != nil else { return .whole(picture) }
        // A missing side is the picture's own.
        let box = PixelSize(width: width ?? picture.width, height: height ?? picture.height)
        switch recipe.fit {
        case .inside, .outside, .fill, .auto: return .whole(picture)
        case .cover: return cover(picture, box, recipe, point)
        case .contain: return contain(picture, box, recipe, point)
        }
    }

    private static func clamp(_ side: Int) -> Int { min(max(side, 1), Int(Int32.max)) }

    private static func whole(_ size: PixelSize) -> Geometry {
        Geometry(resized: size, canvas: size, placement: .whole)
    }

    private static func resize(
        _ source: PixelSize, _ width: Int?, _ height: Int?, _ recipe: Recipe
    ) -> PixelSize {
        let across = width.map { Scale(numerator: $0, denominator: source.width) }
        let down = height.map { Scale(numerator: $0, denominator: source.height) }
        var (x, y): (Scale, Scale)
        switch (across, down, recipe.fit) {
        case (nil, nil, _): (x, y) = (.one, .one)
        case (let across?, nil, _): (x, y) = (across, across)
        case (nil, let down?, _): (x, y) = (down, down)
        case (let across?, let down?, .fill): (x, y) = (across, down)
        case (let across?, let down?, .outside), (let across?, let down?, .cover):
            x = max(across, down)
            y = x
        case (let across?, let down?, _):
            x = min(across, down)
            y = x
        }
        if recipe.withoutReduction { (x, y) = (max(x, .one), max(y, .one)) }
        if recipe.withoutEnlargement { (x, y) = (min(x, .one), min(y, .one)) }
        if let least = recipe.leastWidth { x = max(x, Scale(numerator: least, denominator: source.width)) }
        if let least = recipe.leastHeight { y = max(y, Scale(numerator: least, denominator: source.height)) }
        // Only `fit=fill` distorts; otherwise both sides have the same scale.
        if across == nil || down == nil || recipe.fit != .fill { (x, y) = (max(x, y), max(x, y)) }
        return PixelSize(width: x.applied(to: source.width), height: y.applied(to: source.height))
    }

    /// The box; for a picture that is too small for it, the largest box of the same shape that the picture covers.
    private static func covered(_ box: PixelSize, by picture: PixelSize, _ recipe: Recipe) -> PixelSize {
        guard recipe.shrinksBox, picture.width < box.width || picture.height < box.height else { return box }
        return AspectRatio(box.width, box.height).box(of: picture, around: false)
    }

    /// The box; for a picture that is too small for it, the smallest box of the same shape around the picture.
    private static func holding(_ box: PixelSize, _ picture: PixelSize, _ recipe: Recipe) -> PixelSize {
        guard recipe.shrinksBox, picture.width < box.width, picture.height < box.height else { return box }
        return AspectRatio(box.width, box.height).box(of: picture, around: true)
    }

    private static func cover(_ resized: PixelSize, _ asked: PixelSize, _ recipe: Recipe, _ point: FocalPoint)
        -> Geometry
    {
        let box = covered(asked, by: resized, recipe)
        let canvas = PixelSize(width: min(box.width, resized.width), height: min(box.height, resized.height))
        if canvas == resized { return .whole(resized) }
        let placement: Placement
        let alignment = recipe.alignment
        switch alignment {
        case .entropy: placement = .cropByEntropy
        case .attention: placement = .cropByAttention
        case .focal:
            placement = .crop(
                x: offset(resized.width, canvas.width, centredOn: point.x),
                y: offset(resized.height, canvas.height, centredOn: point.y))
        default:
            // Halves are rounded down, as at wsrv.nl; sharp rounds them up.
            let sides = alignment.sides ?? (.middle, .middle)
            let shift = recipe.shift.pixels(in: resized)
            placement = .crop(
                x: sides.x.offset(slack: resized.width - canvas.width, by: shift.x),
                y: sides.y.offset(slack: resized.height - canvas.height, by: shift.y))
        }
        return Geometry(resized: resized, canvas: canvas, placement: placement)
    }

    /// The start of a crop that is centred on the point at `fraction` of the side, clamped to the side.
    private static func offset(_ side: Int, _ cropped: Int, centredOn fraction: Double) -> Int {
        let wanted = (fraction * Double(side) - Double(cropped) / 2).rounded()
        return min(max(Int(wanted), 0), side - cropped)
    }

    private static func contain(
        _ resized: PixelSize, _ asked: PixelSize, _ recipe: Recipe, _ point: FocalPoint
    ) -> Geometry {
        let box = holding(asked, resized, recipe)
        // A picture can be wider than its box, because of a least height or because it may not be reduced. The canvas
        // is then as wide.
        let grows = recipe.leastWidth != nil || recipe.leastHeight != nil || recipe.withoutReduction
        let canvas = grows ? box.widened(to: resized) : box
        if canvas == resized { return .whole(resized) }
        let corner = corner(of: resized, on: canvas, recipe.alignment, point, recipe.shift)
        return Geometry(resized: resized, canvas: canvas, placement: .embed(x: corner.x, y: corner.y))
    }

    /// The place of a picture's top left corner on a canvas that is at least as large, in pixels.
    package static func corner(
        of picture: PixelSize, on canvas: PixelSize, _ alignment: Recipe.Alignment,
        _ focalPoint: FocalPoint = FocalPoint(), _ shift: PositionOffset = PositionOffset()
    ) -> (x: Int, y: Int) {
        let slack = PixelSize(width: canvas.width - picture.width, height: canvas.height - picture.height)
        if alignment == .focal {
            // The bars divide the slack in the same proportion as the point divides the side. Halves are
            // rounded down, as in the middle.
            return (
                // Cannot trap: a fraction of a side below 2⁴⁶.
                x: Int((focalPoint.x * Double(slack.width) - 0.5).rounded(.up)),
                // Cannot trap: as above.
                y: Int((focalPoint.y * Double(slack.height) - 0.5).rounded(.up))
            )
        }
        let (sides, shift) = (alignment.sides ?? (.middle, .middle), shift.pixels(in: canvas))
        return (
            x: sides.x.offset(slack: slack.width, by: shift.x),
            y: sides.y.offset(slack: slack.height, by: shift.y)
        )
    }
}

/// Pixels after the resize over pixels before.
private struct Scale: Comparable {
    static let one = Scale(numerator: 1, denominator: 1)

    var numerator: Int
    var denominator: Int

    static func < (a: Scale, b: Scale) -> Bool { a.numerator * b.denominator < b.numerator * a.denominator }
    static func == (a: Scale, b: Scale) -> Bool { a.numerator * b.denominator == b.numerator * a.denominator }

    func applied(to side: Int) -> Int { max(1, (2 * side * numerator + denominator) / (2 * denominator)) }
}

extension Recipe {
    /// The sides of the box for a picture, exchanged if the recipe turns the box.
    fileprivate func turnedBox(of picture: PixelSize) -> (width: Int?, height: Int?) {
        let box = box(of: picture)
        guard turnsBox, let width = box.width, let height = box.height else { return box }
        let isTurned =
            width > height && picture.width < picture.height
            || width < height && picture.width > picture.height
        return isTurned ? (height, width) : box
    }

    /// The sides of the box for a picture, as far as they are given. The recipe must be canonical.
    func box(of picture: PixelSize) -> (width: Int?, height: Int?) {
        let width = self.width.map { max($0.pixels(of: picture.width), 1) }
        let height = self.height.map { max($0.pixels(of: picture.height), 1) }
        guard let aspect else { return (width, height) }
        switch (width, height) {
        case (let width?, nil): return (width, aspect.height(of: width))
        case (nil, let height?): return (aspect.width(of: height), height)
        case (nil, nil):
            let box = aspect.box(of: picture, around: fit == .contain)
            let sides = 1...Int(Int32.max)
            return (
                box.width.multiplied(by: zoom, within: sides), box.height.multiplied(by: zoom, within: sides)
            )
        default: return (width, height)
        }
    }
}

extension PixelSize {
    /// The size, made at least as large as another one on each side.
    fileprivate func widened(to other: PixelSize) -> PixelSize {
        PixelSize(width: max(width, other.width), height: max(height, other.height))
    }
}

extension Recipe.Alignment.Side {
    /// - Parameters:
    ///   - slack: the difference of the two lengths in pixels.
    ///   - shift: pixels away from the side, clamped to the other side.
    fileprivate func offset(slack: Int, by shift: Int) -> Int {
        guard slack > 0 else { return start(slack) }
        // Cannot trap: a shift is no longer than a side.
        let shifted = self == .far ? slack - shift : start(slack) + shift
        return min(max(shifted, 0), slack)
    }

    private func start(_ slack: Int) -> Int {
        switch self {
        case .near: 0
        case .middle: slack / 2
        case .far: slack
        }
    }
}
