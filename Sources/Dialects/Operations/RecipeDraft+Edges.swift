// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// Corners and margins. In Pictor margins come last, around the turned picture.
extension RecipeDraft {
    /// - Parameter radii: the radii across and down, or one for both.
    mutating func round(_ radii: [String], _ call: FilterCall) throws(OperationRefusal) {
        let numbers = radii.compactMap { Int($0) }.filter { Clockwise.pixelRange.contains($0) }
        guard let across = numbers.first, let down = numbers.last, numbers.count == radii.count,
            numbers.count <= 2
        else {
            throw call.refusal("radii of 0…\(Clockwise.pixelRange.upperBound) pixels")
        }
        recipe.radii = Radii(Clockwise(across), Clockwise(down))
    }

    /// - Parameter standsTurned: true if the margins are given for the picture before its sides were swapped.
    mutating func pad(
        _ margins: OperationPath.Corners, _ color: Color, standsTurned: Bool
    ) throws(OperationRefusal) {
        let longest = Double(Clockwise.pixelRange.upperBound)
        let sides = [margins.top, margins.right, margins.bottom, margins.left]
        guard sides.allSatisfy({ (0...longest).contains($0) }) else {
            throw .value(filter: "padding", allowed: "0…\(Clockwise.pixelRange.upperBound) pixels")
        }
        guard recipe.padding == nil else {
            throw .unsupported(what: "padding", reason: "Pictor draws one margin.")
        }
        // Cannot trap: 0…16,384.
        let pixels = sides.map { Int($0) }
        guard var around = Clockwise(pixels) else { return }
        // As in the services: left becomes top, and right becomes bottom.
        if standsTurned { around = Clockwise(around.fourth, around.third, around.second, around.first) }
        recipe.padding = Padding(around, background: color)
    }

    /// Turns the margins set so far together with the picture.
    mutating func turnPadding(_ turn: PictureTurn) {
        guard let sides = recipe.padding?.sides else { return }
        var turned = sides
        for _ in 0..<turn.quarters {
            turned = Clockwise(turned.fourth, turned.first, turned.second, turned.third)
        }
        recipe.padding?.sides = turned
    }
}
