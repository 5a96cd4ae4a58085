// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

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
