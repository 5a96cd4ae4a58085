// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar

extension Fields {
    /// Adds names to `Vary` that it does not have (RFC 9110 §12.5.5).
    mutating func vary(by names: [String]) {
        guard !names.isEmpty else { return }
        var varying = (combined("Vary") ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }
        for name in names where !varying.contains(where: { Fields.same($0, name) }) { varying.append(name) }
        set("Vary", varying.joined(separator: ", "))
    }
}

extension ImageRequest {
    /// The request's fields that decide whether there is a picture, and which one. `Accept` is included for failures too, because a
    /// format that takes too long fails only for the clients that accept it.
    var deciding: [String] { (recipe.output == .auto ? ["Accept"] : []) + delivery.hints.names }
}
