// SPDX-License-Identifier: Apache-2.0

import ImageModel

extension SeededRandom {
    /// Any recipe that a client could write.
    mutating func recipe() -> Recipe {
        var recipe = Recipe()
        if chance(70) { recipe.width = length() }
        if chance(70) { recipe.height = length() }
        if chance(40) { recipe.pixelRatio = Double(Int.random(in: 10...800, using: &self)) / 100 }
        recipe.fit = Recipe.Fit.allCases.randomElement(using: &self) ?? .inside
        recipe.withoutEnlargement = chance(50)
        recipe.alignment = Recipe.Alignment.allCases.randomElement(using: &self) ?? .center
        let formats = ImageFormat.writable.map { Recipe.Output.format($0) }
        recipe.output = (formats + [.source, .auto]).randomElement(using: &self) ?? .source
        if chance(50) { recipe.quality = Int.random(in: 1...100, using: &self) }
        if chance(50) { recipe.pages = chance(30) ? -1 : Int.random(in: 1...256, using: &self) }
        return recipe
    }

    private mutating func length() -> Recipe.Length {
        if chance(30) { return .percent(Double(Int.random(in: 1...100_000, using: &self)) / 100) }
        if chance(20) { return .percent(100) }
        return .pixels(Int.random(in: 1...(chance(50) ? 300 : 16_384), using: &self))
    }
}
