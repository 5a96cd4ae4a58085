// SPDX-License-Identifier: Apache-2.0
//
// The part of UTS #46 (non-transitional, as in browsers) that the standard library's Unicode properties decide with certainty: full
// stops and full-width forms are mapped, letters are lower-cased, and the result must be its own mapping. Any other name is refused
// with the advice to write its xn-- form, because a wrong guess would lead to another host.

/// Converts international host names to ASCII.
enum InternationalName {
    /// The labels between the dots, in lower-case ASCII. ASCII labels are only lower-cased.
    static func ascii(labelsOf name: String) throws(SourceURLError) -> [String] {
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return name.lowercased().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        }
        let scalars = name.unicodeScalars.flatMap(mapped)
        var labels: [String] = []
        for label in scalars.split(separator: ".", omittingEmptySubsequences: false) {
            labels.append(try ascii(Array(label)))
        }
        return labels
    }

    private static func mapped(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar.value {
        case 0x3002, 0xFF0E, 0xFF61: return ["."]  // UTS #46 §2.3: the full stops of East Asia.
        case 0xFF01...0xFF5E:  // Full-width ASCII.
            return Unicode.Scalar(scalar.value - 0xFEE0).map(mapped) ?? []
        case 0x1E9E: return [scalar]  // Capital sharp s: mapped differently by different Unicode versions.
        default: return Array(scalar.properties.lowercaseMapping.unicodeScalars)
        }
    }

    private static func ascii(_ label: [Unicode.Scalar]) throws(SourceURLError) -> String {
        guard !label.allSatisfy(\.isASCII) else {
            return String(String.UnicodeScalarView(label))
        }
        // Refused before the encoder, whose time is quadratic; RFC 1035 labels have 63 bytes.
        guard label.count <= 63, !label.starts(with: "xn--".unicodeScalars) else { throw .invalidHost }
        guard label.allSatisfy(isItsOwnMapping), isComposed(label) else { throw .ambiguousHost }
        return "xn--" + Punycode.encode(label)
    }

    /// Letters, marks and digits that NFKC_Casefold leaves alone, and the two deviations of UTS #46 §4 that
    /// are letters: ß and ς.
    private static func isItsOwnMapping(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII || scalar.value == 0xDF || scalar.value == 0x3C2 { return true }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber:
            return !scalar.properties.changesWhenNFKCCaseFolded
        default:
            return false
        }
    }

    /// UAX #15 §9, the quick check for NFC: marks in canonical order, no mark at the start, and no character
    /// that might compose with the one before it.
    private static func isComposed(_ label: [Unicode.Scalar]) -> Bool {
        var last: UInt8 = 0
        for (index, scalar) in label.enumerated() {
            let order = scalar.properties.canonicalCombiningClass.rawValue
            if order != 0, order < last { return false }
            if index == 0, isMark(scalar) { return false }
            if mayCompose.contains(where: { $0.contains(scalar.value) }) { return false }
            last = order
        }
        return true
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark, .enclosingMark].contains(scalar.properties.generalCategory)
    }

    /// NFC_Quick_Check=Maybe: the second characters of the primary composites (Unicode 14,
    /// DerivedNormalizationProps).
    private static let mayCompose: [ClosedRange<UInt32>] = [
        0x300...0x304, 0x306...0x30C, 0x30F...0x30F, 0x311...0x311, 0x313...0x314, 0x31B...0x31B,
        0x323...0x328,
        0x32D...0x32E, 0x330...0x331, 0x338...0x338, 0x342...0x342, 0x345...0x345, 0x653...0x655,
        0x93C...0x93C,
        0x9BE...0x9BE, 0x9D7...0x9D7, 0xB3E...0xB3E, 0xB56...0xB57, 0xBBE...0xBBE, 0xBD7...0xBD7,
        0xC56...0xC56,
        0xCC2...0xCC2, 0xCD5...0xCD6, 0xD3E...0xD3E, 0xD57...0xD57, 0xDCA...0xDCA, 0xDCF...0xDCF,
        0xDDF...0xDDF,
        0x102E...0x102E, 0x1161...0x1175, 0x11A8...0x11C2, 0x1B35...0x1B35, 0x3099...0x309A,
        0x110BA...0x110BA,
        0x11127...0x11127, 0x1133E...0x1133E, 0x11357...0x11357, 0x114B0...0x114B0, 0x114BA...0x114BA,
        0x114BD...0x114BD, 0x115AF...0x115AF, 0x11930...0x11930,
    ]
}
