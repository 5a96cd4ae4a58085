// SPDX-License-Identifier: Apache-2.0
//
// A reference `prem` of iref, from a picture to its alpha, says that the colours are multiplied by alpha already
// (ISO/IEC 23000-22 §7.3.5.2).

/// How a HEIF means its colours beside its alpha.
package enum ISOMediaAlpha {
    /// True for colours that are multiplied by alpha. libheif hands them over as they are.
    package static func isMultiplied(_ source: some HeaderSource) -> Bool {
        source.reading { reader in
            let items = try ISOMediaItems(&reader)
            return try items.references(["prem"], &reader).contains { $0.source == items.primary }
        } ?? false
    }
}
