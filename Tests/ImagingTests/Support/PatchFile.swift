// SPDX-License-Identifier: Apache-2.0

import Foundation

/// AVIF of 128 × 16: eight colours of 16 × 16, described by code points; made with `avifenc --min 0 --max 0 -y
/// 444`.
enum PatchFile {
    /// The samples out of 1,023 in the 10-bit file; the 8-bit file has the nearest values.
    static let numbers: [[Double]] = [
        [0, 0, 0], [594, 594, 594], [520, 520, 520], [769, 769, 769], [594, 300, 120], [350, 600, 250],
        [200, 260, 560], [720, 640, 300],
    ]

    /// `--cicp 9/16/9 --depth 10`.
    static let tenBits = decoded(
        """
        AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAA
        AGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAGAAAAAoaWluZgAAAAAAAQAAABppbmZl
        AgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAIAAAAAQAAAAEHBpeGkAAAAAAwoKCgAAAAxh
        djFDgSBAAAAAABNjb2xybmNseAAJABAACYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAAGhtZGF0EgAKCTgY//84SIBMgDJREAAA
        bHpECyynbPntFDQDtxYuZVEdT5pVv/+Y48aEF6JUvJIIHbDqWKdDjsXR2UzdpoCYxaKsH2TZk+iJKAn3Z5PmCdVQNr3Hq4pO+94f
        strA
        """)

    /// `--cicp 9/16/9 --depth 8`.
    static let eightBits = decoded(
        """
        AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUEAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAA
        AGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAFYAAAAoaWluZgAAAAAAAQAAABppbmZl
        AgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAIAAAAAQAAAAEHBpeGkAAAAAAwgICAAAAAxh
        djFDgSAAAAAAABNjb2xybmNseAAJABAACYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAAF5tZGF0EgAKCTgY//8oSIBMgDJHEAAA
        zvUm5ISjhg/FiloVAaAGumPSv/+mfjpowi5bwClvJzc09EiJUyhWLsrgKwqH1eHGZyAZqwWjIiObsnoQBms5w+56UCA=
        """)

    /// The file with other primaries and another transfer in its `colr` box.
    static func file(_ file: [UInt8], primaries: UInt8, transfer: UInt8) -> [UInt8] {
        var file = file
        guard let start = place("nclx", in: file) else { return [] }
        (file[start + 5], file[start + 7]) = (primaries, transfer)
        return file
    }

    /// The file without its `colr` box; the sequence header says the same.
    static func undescribed(_ file: [UInt8]) -> [UInt8] {
        var file = file
        guard let start = place("colr", in: file) else { return [] }
        file.replaceSubrange(start..<start + 4, with: Array("free".utf8))
        return file
    }

    private static func place(_ name: String, in file: [UInt8]) -> Int? {
        (0..<file.count - 8).first { file[$0..<$0 + 4].elementsEqual(name.utf8) }
    }

    private static func decoded(_ text: String) -> [UInt8] {
        Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    }
}
