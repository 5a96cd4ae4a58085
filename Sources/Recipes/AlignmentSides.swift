// SPDX-License-Identifier: Apache-2.0

extension Recipe.Alignment {
    /// A side of the picture, along one axis.
    enum Side { case near, middle, far }

    /// The sides that it names, from the left and from the top; nil for what depends on the picture or a point.
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
    /// The anchor, at the left or at the top where the axis has no length.
    var plainAnchor: Recipe.Alignment {
        guard let sides = anchor.sides else { return .topLeft }
        let (x, y) = (width == nil ? .near : sides.x, height == nil ? .near : sides.y)
        return Crop.anchors.first { $0.sides?.x == x && $0.sides?.y == y } ?? .topLeft
    }
}
