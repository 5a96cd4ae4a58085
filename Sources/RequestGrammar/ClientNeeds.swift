// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Recipes

/// The needs that a client's hints name, rounded to few different values, so that clients share answers. Nothing else of the hints
/// reaches a recipe, so requests with equal needs get equal answers.
package struct ClientNeeds: Sendable, Hashable {
    /// The picture's width in pixels, a step of the ladder; nil if not sent.
    package var width: Int?
    /// True if the width is that of the whole page, because the picture's width was not sent.
    package var isViewport = false
    /// Screen pixels per CSS pixel, in quarters, 1…32; nil if not sent.
    package var quarters: Int?
    /// True if the client wants fewer bytes.
    package var savesData = false

    /// The needs of a client that sends no hints.
    package static let none = ClientNeeds()

    /// Screen pixels per CSS pixel; nil if not sent.
    package var pixelRatio: Double? { quarters.map { Double($0) / 4 } }

    /// Bytes that distinguish these needs from others, for an answer that depends on these fields: one byte if that is `Save-Data`
    /// alone, else five.
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
    /// The hints of `w=auto`. The ratio is among them, because a page's width is sent in CSS pixels.
    package static let ofWidth: HintFields = [.width, .viewportWidth, .pixelRatio]

    /// The names of the fields, as `Vary` lists them.
    package var names: [String] {
        Self.fields.filter { contains($0.0) }.flatMap { $0.1.map(\.rawValue) }
    }

    /// The hints that a server asks for in `Accept-CH`. Clients send `Save-Data` unasked.
    package static let asked = HintFields.ofWidth.names.joined(separator: ", ")

    private static let fields: [(HintFields, [HintField])] = [
        (.width, [.width, .olderWidth]), (.viewportWidth, [.viewportWidth, .olderViewportWidth]),
        (.pixelRatio, [.pixelRatio, .olderPixelRatio]), (.saveData, [.saveData]),
    ]
}

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
