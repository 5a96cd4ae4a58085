// SPDX-License-Identifier: Apache-2.0

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
