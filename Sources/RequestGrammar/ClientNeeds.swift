// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Recipes

/// The needs that a client's hints name: few different values, so that clients share answers. Nothing else of the hints
/// reaches a recipe, so requests of equal needs get equal answers.
package struct ClientNeeds: Sendable, Hashable {
    /// Pixels of the picture, a step of the ladder; nil = not told.
    package var width: Int?
    /// The width is that of the whole page, because that of the picture was not told.
    package var isViewport = false
    /// Quarters of a pixel of the screen in a CSS pixel, 1…32; nil = not told.
    package var quarters: Int?
    /// The client wants fewer bytes.
    package var savesData = false

    /// The needs of a client that hints at nothing.
    package static let none = ClientNeeds()

    /// Pixels of the screen in a CSS pixel; nil = not told.
    package var pixelRatio: Double? { quarters.map { Double($0) / 4 } }

    /// Bytes that tell these needs from others, where the answer depends on those fields. Their number tells which.
    package func key(_ fields: HintFields) -> [UInt8] {
        let saving: UInt8 = savesData ? 1 : 0
        if fields.isSubset(of: .saveData) { return [saving] }
        let width = UInt16(clamping: width ?? 0)
        return [
            saving, UInt8(truncatingIfNeeded: width >> 8), UInt8(truncatingIfNeeded: width),
            isViewport ? 1 : 0,
            UInt8(clamping: quarters ?? 0),
        ]
    }
}

/// The hints that an answer depends on.
package struct HintFields: OptionSet, Sendable, Hashable {
    /// A bit for each kind of hint.
    package let rawValue: UInt8
    /// The bits as `rawValue` gives them.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let width = HintFields(rawValue: 1 << 0)
    package static let viewportWidth = HintFields(rawValue: 1 << 1)
    package static let pixelRatio = HintFields(rawValue: 1 << 2)
    package static let saveData = HintFields(rawValue: 1 << 3)
    /// The hints of `w=auto`: a page's width is in CSS pixels.
    package static let ofWidth: HintFields = [.width, .viewportWidth, .pixelRatio]

    /// The names of the fields, as `Vary` lists them.
    package var names: [String] {
        Self.fields.filter { contains($0.0) }.flatMap { $0.1.map(\.rawValue) }
    }

    /// The hints that a server asks for. `Save-Data` comes unasked.
    package static let asked = HintFields.ofWidth.names.joined(separator: ", ")

    private static let fields: [(HintFields, [HintField])] = [
        (.width, [.width, .olderWidth]), (.viewportWidth, [.viewportWidth, .olderViewportWidth]),
        (.pixelRatio, [.pixelRatio, .olderPixelRatio]), (.saveData, [.saveData]),
    ]
}

/// The configuration of client hints.
package struct HintRules: Sendable, Hashable {
    /// The widths that `w=auto` can come to; one at least.
    package let ladder: WidthLadder
    /// Pixels of the picture where the client tells no width; nil = the original's.
    package let defaultWidth: Int?
    /// Percent of the settings' quality for a client that saves data; 100 = it gets what others get.
    package let savingPercent: Int

    /// Takes the three as they are.
    package init(ladder: WidthLadder, defaultWidth: Int?, savingPercent: Int) {
        self.ladder = ladder
        self.defaultWidth = defaultWidth
        self.savingPercent = savingPercent
    }

    /// Widths go up to the ladder's next step, and ratios to the next quarter.
    package func needs(of hints: ClientHints) -> ClientNeeds {
        var needs = ClientNeeds()
        needs.savesData = hints.savesData
        // A thousandth is no reason for a quarter.
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

    /// Pixels of the picture that `w=auto` is; nil = the original's.
    package func width(_ needs: ClientNeeds) -> Int? { needs.width ?? defaultWidth }
}
