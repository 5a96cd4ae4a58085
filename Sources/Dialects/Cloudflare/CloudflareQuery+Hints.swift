// SPDX-License-Identifier: Apache-2.0

internal import Recipes
internal import RequestGrammar

/// The options that depend on the client's hints.
extension CloudflareQuery {
    /// True if the client's hints decide the width.
    var isAsWideAsHinted: Bool { given["width"] == "auto" }

    /// - Parameter rules: nil if hints are not read: then all clients are treated alike, as if none sent a width.
    /// - Returns: the hints that the request depends on.
    func readHints(
        _ needs: ClientNeeds, by rules: HintRules?, _ recipe: inout Recipe
    ) throws(CloudflareRefusal) -> HintFields {
        let slow = try quality("slow-connection-quality")
        guard let rules else {
            guard !isAsWideAsHinted else {
                throw .unsupported(
                    option: "width=auto", reason: "client-hints.enabled is not set here; give pixels.")
            }
            return []
        }
        var hints = HintFields()
        if isAsWideAsHinted {
            // The hinted width is that of the turned picture.
            let swapsSides = given["rotate"] == "90" || given["rotate"] == "270"
            if swapsSides { (recipe.width, recipe.height) = (recipe.height, recipe.width) }
            recipe.setWidth(ofPicture: rules.width(needs))
            if swapsSides { (recipe.width, recipe.height) = (recipe.height, recipe.width) }
            hints.formUnion(.ofWidth)
        }
        if let slow, recipe.output.isMade {
            if needs.savesData { (recipe.quality, recipe.lossless) = (slow, false) }
            hints.insert(.saveData)
        }
        return hints
    }
}
