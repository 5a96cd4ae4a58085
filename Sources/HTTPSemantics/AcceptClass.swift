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

    package init(_ accept: String?) { self = accept.map { $0.withFieldBytes { AcceptClass($0) } } ?? [] }

    /// One pass over the field value, without allocating; several field lines are to be joined by commas
    /// before.
    package init(_ accept: UnsafeRawBufferPointer) {
        var welcome: AcceptClass = []
        var refused: AcceptClass = []
        Accept.forEachRange(in: accept) { range in
            guard !range.hasParameters, range.type.isSame(as: "image") else { return }
            let format: AcceptClass =
                range.subtype.isSame(as: "avif") ? .avif : range.subtype.isSame(as: "webp") ? .webp : []
            if range.quality > 0 { welcome.formUnion(format) } else { refused.formUnion(format) }
        }
        self = welcome.subtracting(refused)
    }
}
