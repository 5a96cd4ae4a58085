// SPDX-License-Identifier: Apache-2.0

extension Recipe.Alignment {
    /// The place along one axis: the near side, the middle or the far side.
    enum Side { case near, middle, far }

    /// The places that the alignment names, from the left and from the top. Nil if the place depends on the
    /// picture or on a point.
    var sides: (x: Side, y: Side)? {
        switch self {
        case .topLeft: (.near, .near)
        case .top: (.middle, .near)
        case .topRight: (.far, .near)
        case .left: (.near, .middle)
        case .center: (.middle, .middle)
        case .right: (.far, .middle)
        case .bottomLeft: (.near, .far)
        case .bottom: (.middle, .far)
        case .bottomRight: (.far, .far)
        case .focal, .entropy, .attention: nil
        }
    }
}

extension Crop {
    /// The anchor, with the left or the top side along each axis whose length is not given.
    var plainAnchor: Anchor {
        guard width != nil || height != nil else { return .side(.topLeft) }
        switch anchor {
        case .attention: return .attention
        case .point(let point):
            let point = FocalPoint(x: width == nil ? 0.5 : point.x, y: height == nil ? 0.5 : point.y)
            return point == FocalPoint() ? plain(.center) : .point(point)
        case .side(let alignment): return plain(alignment)
        }
    }

    private func plain(_ alignment: Recipe.Alignment) -> Anchor {
        guard let sides = alignment.sides else { return .side(.topLeft) }
        let (x, y) = (width == nil ? .near : sides.x, height == nil ? .near : sides.y)
        return .side(Crop.sides.first { $0.sides?.x == x && $0.sides?.y == y } ?? .topLeft)
    }

    /// Drops lengths of 100 %, which are the default. From the left or the top such a length ends at the far edge, wherever
    /// it begins. From anywhere else it keeps the whole axis, so that no offset moves it.
    mutating func dropWholeLengths() {
        var sides: (x: Recipe.Alignment.Side, y: Recipe.Alignment.Side)?
        if case .side(let alignment) = anchor { sides = alignment.sides }
        if width == .percent(100) {
            width = nil
            if sides?.x != .near { x = nil }
        }
        if height == .percent(100) {
            height = nil
            if sides?.y != .near { y = nil }
        }
    }

    /// The offsets without those that move nothing.
    var plainOffsets: (x: Recipe.Length?, y: Recipe.Length?) {
        switch anchor {
        case .attention: return (nil, nil)
        case .point: return (Self.moving(x), Self.moving(y))
        case .side(let alignment):
            let isMiddle = alignment.sides.map { ($0.x == .middle, $0.y == .middle) } ?? (false, false)
            return (Self.moving(x, backwards: isMiddle.0), Self.moving(y, backwards: isMiddle.1))
        }
    }

    private static func moving(_ offset: Recipe.Length?, backwards: Bool = true) -> Recipe.Length? {
        switch offset {
        case .pixels(let pixels) where pixels == 0 || pixels < 0 && !backwards: nil
        case .percent(let percent) where percent == 0 || percent < 0 && !backwards: nil
        default: offset
        }
    }
}
