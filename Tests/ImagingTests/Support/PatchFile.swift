// SPDX-License-Identifier: Apache-2.0

import Foundation

/// AVIF of 128 × 16: eight colours of 16 × 16, told by code points; made with `avifenc --min 0 --max 0 -y 444`.
enum PatchFile {
    /// Numbers out of 1,023, in the file of 10 bits; that of 8 has the nearest.
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

    /// With other primaries and another transfer in the `colr` box.
    static func file(_ file: [UInt8], primaries: UInt8, transfer: UInt8) -> [UInt8] {
        var file = file
        guard let start = place("nclx", in: file) else { return [] }
        (file[start + 5], file[start + 7]) = (primaries, transfer)
        return file
    }

    /// Without a `colr` box: the sequence header tells the same.
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
