// SPDX-License-Identifier: Apache-2.0

/// A canvas as options describe it. An option without a gravity keeps the gravity of an earlier one, even if that one asked for no
/// canvas.
struct ImgproxyCanvas {
    private var isWanted = false
    private var gravity = ImgproxyGravity.center

    /// The picture's place on the canvas; nil if there is no canvas.
    var place: ImgproxyGravity? { isWanted ? gravity : nil }

    mutating func take(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(4, "a flag and a gravity")
        isWanted = arguments.flag()
        guard arguments.given(1) != nil else { return }
        gravity = try arguments.dropFirst().gravity(after: gravity)
        guard gravity != .smart else { throw arguments.refusal("a gravity other than sm") }
    }
}
