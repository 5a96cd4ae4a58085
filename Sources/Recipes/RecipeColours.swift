// SPDX-License-Identifier: Apache-2.0

extension Recipe {
    /// True if it brings colours of sRGB into the picture: by name, or with a watermark. Black and white are the same numbers
    /// in every profile.
    package var namesColours: Bool {
        if watermark != nil || tint != nil { return true }
        if case .duotone = filter { return true }
        let named = [
            background, containBackground, rotationBackground, mask?.background, padding?.background,
            trim?.color, text?.color,
        ]
        return named.contains { $0?.isOfSRGB ?? false }
    }
}

extension Color {
    /// Whether the colour's numbers stand for another colour in another profile.
    fileprivate var isOfSRGB: Bool {
        !isTransparent && ![Color.black, .white].contains(opaque)
    }
}
