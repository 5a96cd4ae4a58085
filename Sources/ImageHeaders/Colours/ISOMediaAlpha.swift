// SPDX-License-Identifier: Apache-2.0
// A reference `prem` in iref, from a picture to its alpha, says that the colours are already multiplied by alpha
// (ISO/IEC 23000-22 §7.3.5.2).

/// Whether a HEIF's colours are premultiplied by alpha.
package enum ISOMediaAlpha {
    /// True if the colours are multiplied by alpha. libheif returns them unchanged.
    package static func isMultiplied(_ source: some HeaderSource) -> Bool {
        source.reading { reader in
            let items = try ISOMediaItems(&reader)
            return try items.references(["prem"], &reader).contains { $0.source == items.primary }
        } ?? false
    }
}
