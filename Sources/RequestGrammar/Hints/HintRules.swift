// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Recipes

/// The configuration of client hints.
package struct HintRules: Sendable, Hashable {
    /// The widths that `w=auto` can become; at least one.
    package let ladder: WidthLadder
    /// The picture's width in pixels if the client sends no width; nil = the original's.
    package let defaultWidth: Int?
    /// Percent of the settings' quality for a client that saves data; 100 for no difference.
    package let savingPercent: Int

    /// Takes the three parts without a check.
    package init(ladder: WidthLadder, defaultWidth: Int?, savingPercent: Int) {
        self.ladder = ladder
        self.defaultWidth = defaultWidth
        self.savingPercent = savingPercent
    }

    /// The needs of the hints: widths are rounded up to the ladder's next step, and ratios to the next quarter.
    package func needs(of hints: ClientHints) -> ClientNeeds {
        var needs = ClientNeeds()
        needs.savesData = hints.savesData
        // Rounded first, so that a thousandth does not lead to the next quarter.
        let ratio = hints.pixelRatio.map { ($0 * 1_000).rounded() / 1_000 }
        // Cannot trap: 0.1…8 times 4.
        needs.quarters = ratio.map { Int(($0 * 4).rounded(.up)) }
        if let width = hints.width {
            needs.width = ladder.pixels(atLeast: width)
        } else if let page = hints.viewportWidth {
            // Cannot trap: 999,999 times 8.
            needs.width = ladder.pixels(atLeast: Int((Double(page) * (ratio ?? 1)).rounded(.up)))
            needs.isViewport = true
        }
        return needs
    }

    /// The picture's width in pixels for `w=auto`; nil = the original's.
    package func width(_ needs: ClientNeeds) -> Int? { needs.width ?? defaultWidth }
}
