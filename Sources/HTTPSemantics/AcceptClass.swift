// SPDX-License-Identifier: Apache-2.0

/// The part of `Accept` that decides what `output=auto` becomes, in one byte: requests of one class share
/// answers.
///
/// Only a format's own name counts. Every browser that can show AVIF or WebP names them, and clients that
/// send `image/*` or `*/*` alone often can not.
package struct AcceptClass: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let avif = AcceptClass(rawValue: 1 << 0)
    package static let webp = AcceptClass(rawValue: 1 << 1)
    /// Both, and WebP more than AVIF.
    package static let webpFirst = AcceptClass(rawValue: 1 << 2)

    package init(_ accept: String?) { self = accept.map { $0.withFieldBytes { AcceptClass($0) } } ?? [] }

    /// One pass over the field value, without allocating; several field lines are to be joined by commas
    /// before.
    package init(_ accept: UnsafeRawBufferPointer) {
        // Thousandths; nil where it is not named. Of several weights the least counts.
        var (avif, webp): (Int?, Int?)
        Accept.forEachRange(in: accept) { range in
            guard !range.hasParameters, range.type.isSame(as: "image") else { return }
            if range.subtype.isSame(as: "avif") { avif = min(avif ?? 1000, range.quality) }
            if range.subtype.isSame(as: "webp") { webp = min(webp ?? 1000, range.quality) }
        }
        var welcome: AcceptClass = []
        if avif ?? 0 > 0 { welcome.insert(.avif) }
        if webp ?? 0 > 0 { welcome.insert(.webp) }
        if welcome == [.avif, .webp], webp ?? 0 > avif ?? 0 { welcome.insert(.webpFirst) }
        self = welcome
    }
}
