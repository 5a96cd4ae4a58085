// SPDX-License-Identifier: Apache-2.0

extension Recipe {
    /// True if the recipe brings sRGB colours into the picture, by name or with a watermark. Black and white have the same
    /// samples in every profile.
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
    /// Whether the same samples would be another colour in another profile.
    fileprivate var isOfSRGB: Bool {
        !isTransparent && ![Color.black, .white].contains(opaque)
    }
}
