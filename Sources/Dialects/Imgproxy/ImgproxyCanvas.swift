// SPDX-License-Identifier: Apache-2.0

/// What options say of a canvas. Each may leave out the gravity, which stays as one before it said, also where that wanted none.
struct ImgproxyCanvas {
    private var isWanted = false
    private var gravity = ImgproxyGravity.center

    /// Where the picture is put on it; nil where there is to be none.
    var place: ImgproxyGravity? { isWanted ? gravity : nil }

    mutating func take(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(4, "a flag and a gravity")
        isWanted = arguments.flag()
        guard arguments.given(1) != nil else { return }
        gravity = try arguments.dropFirst().gravity(after: gravity)
        guard gravity != .smart else { throw arguments.refusal("a gravity other than sm") }
    }
}
