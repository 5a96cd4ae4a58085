// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension CloudflareQuery {
    func readSize(_ recipe: inout Recipe) throws(CloudflareRefusal) {
        if !isAsWideAsHinted { recipe.width = try side("width") }
        recipe.height = try side("height")
        if let ratio = try number("dpr", 0.1...8) { recipe.pixelRatio = ratio }
    }

    func readFit(_ recipe: inout Recipe) throws(CloudflareRefusal) {
        let fits: KeyValuePairs<String, (Recipe.Fit, enlarges: Bool)> = [
            "scale-down": (.inside, false), "contain": (.inside, true), "cover": (.cover, true),
            "crop": (.cover, false), "pad": (.contain, true), "squeeze": (.fill, true),
            "aspect-crop": (.cover, false), "scale-up": (.inside, true),
        ]
        guard let (fit, enlarges) = try choice("fit", fits) else { return }
        recipe.fit = fit
        recipe.withoutEnlargement = !enlarges
        if fit == .contain { recipe.containBackground = .white }
        recipe.shrinksBox = given["fit"] == "aspect-crop"
        recipe.withoutReduction = given["fit"] == "scale-up"
    }

    /// Reads the turn, and the gravity, which refers to the turned picture.
    func readTurn(_ recipe: inout Recipe) throws(CloudflareRefusal) {
        let rotations: KeyValuePairs = ["0": 0, "90": 90, "180": 180, "270": 270]
        let flips: KeyValuePairs = ["h": (true, false), "v": (false, true), "hv": (true, true)]
        let (across, down) = try choice("flip", flips) ?? (false, false)
        let turn = CloudflareTurn(
            degrees: try choice("rotate", rotations) ?? 0, mirrorsAcross: across, mirrorsDown: down)
        turn.set(in: &recipe)
        guard let text = given["gravity"] else { return }
        if text == "face" {
            throw .unsupported(
                option: "gravity=face",
                reason: "Pictor finds no faces; gravity=auto keeps what draws the eye.")
        }
        guard let gravity = CloudflareGravity(text) else {
            throw refusal("gravity", CloudflareGravity.words)
        }
        // A gravity has an effect only if the picture is cut.
        if recipe.fit == .cover { gravity.set(in: &recipe, turn) }
    }
}
