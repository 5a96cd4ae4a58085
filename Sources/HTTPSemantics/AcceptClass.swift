// SPDX-License-Identifier: Apache-2.0

/// The part of `Accept` that `output=auto` depends on, in one byte, so that requests of one class share answers.
///
/// Only a format's own name counts. Every browser that shows AVIF or WebP names it, and clients that send
/// only `image/*` or `*/*` often show neither.
package struct AcceptClass: OptionSet, Sendable, Hashable {
    /// A bit for each flag; part of cache keys.
    package let rawValue: UInt8
    /// Takes the bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Empty. Defined here, because `[]` in another module calls the standard library's generic code, which is measurable in an
    /// answer from memory.
    package init() { rawValue = 0 }

    /// `image/avif` is acceptable.
    package static let avif = AcceptClass(rawValue: 1 << 0)
    /// `image/webp` is acceptable.
    package static let webp = AcceptClass(rawValue: 1 << 1)
    /// AVIF and WebP are acceptable, and WebP has the higher quality.
    package static let webpFirst = AcceptClass(rawValue: 1 << 2)
    /// `image/jxl` is acceptable.
    package static let jxl = AcceptClass(rawValue: 1 << 3)
    /// JPEG XL is acceptable, and another format has a higher quality.
    package static let jxlLast = AcceptClass(rawValue: 1 << 4)

    /// Every bit.
    package static let all: AcceptClass = [.avif, .webp, .webpFirst, .jxl, .jxlLast]

    /// The class of a client that accepts all formats, if JPEG XL is not enabled in the settings.
    package static let usual: AcceptClass = [.avif, .webp, .webpFirst]

    /// The bits that both have, as in `OptionSet`, but without its generic code.
    package func intersection(_ other: AcceptClass) -> AcceptClass {
        AcceptClass(rawValue: rawValue & other.rawValue)
    }

    /// True if JPEG XL should be chosen.
    package var takesJXL: Bool {
        contains(.jxl) && (!contains(.jxlLast) || isDisjoint(with: [.avif, .webp]))
    }

    /// The class of a field value; empty without the field.
    package init(_ accept: String?) { self = accept.map { $0.withFieldBytes { AcceptClass($0) } } ?? [] }

    /// The class of a field value; several lines must be joined by commas. One pass, without allocation.
    package init(_ accept: UnsafeRawBufferPointer) {
        // In thousandths; nil if the format is not named. The lowest of several weights counts.
        var (avif, webp, jxl): (Int?, Int?, Int?)
        Accept.forEachRange(in: accept) { range in
            guard !range.hasParameters, range.type.isSame(as: "image") else { return }
            if range.subtype.isSame(as: "avif") { avif = min(avif ?? 1000, range.quality) }
            if range.subtype.isSame(as: "webp") { webp = min(webp ?? 1000, range.quality) }
            if range.subtype.isSame(as: "jxl") { jxl = min(jxl ?? 1000, range.quality) }
        }
        var welcome: AcceptClass = []
        if avif ?? 0 > 0 { welcome.insert(.avif) }
        if webp ?? 0 > 0 { welcome.insert(.webp) }
        if welcome == [.avif, .webp], webp ?? 0 > avif ?? 0 { welcome.insert(.webpFirst) }
        if let jxl, jxl > 0 {
            welcome.insert(.jxl)
            if max(avif ?? 0, webp ?? 0) > jxl { welcome.insert(.jxlLast) }
        }
        self = welcome
    }
}
