// SPDX-License-Identifier: Apache-2.0

@testable import ImageHeaders
import RandomInputs
import Testing

@Suite("A profile calls itself by its description")
struct ICCDescriptionTests {
    private func name(_ profile: [UInt8], before: [UInt8] = [], after: [UInt8] = []) -> String? {
        var reader = HeaderReader(HeaderBytes(before + profile + after))
        return ICCDescription.read(&reader, in: before.count..<(before.count + profile.count))
    }

    @Test func `in ASCII or in UTF-16, wherever in the file it lies`() {
        for text in ["sRGB", "Display P3", "A"] {
            #expect(name(SampleProfile.version2(text)) == text)
            #expect(name(SampleProfile.version4(text), before: [1, 2, 3], after: [4]) == text)
        }
        #expect(name(SampleProfile.version4("Größe 日本 🦊")) == "Größe 日本 🦊")
    }

    @Test func `behind other tags as well, of which a hundred are looked at`() {
        let text = Array("desc".utf8) + SampleHeaders.big(0, 4) + SampleHeaders.big(2, 4) + Array("x\0".utf8)
        for (count, expected) in [(0, "x"), (1, "x"), (99, "x"), (100, nil)] as [(Int, String?)] {
            let tags = Array(repeating: "wtpt", count: count)
            #expect(name(SampleProfile.with(text, before: tags)) == expected, "\(count)")
        }
    }

    @Test func `text ends at its zero, and after 256 bytes`() {
        let long = String(repeating: "a", count: 300)
        #expect(name(SampleProfile.version2(long)) == String(repeating: "a", count: 256))
        #expect(name(SampleProfile.version4(long)) == String(repeating: "a", count: 128))
        #expect(name(SampleProfile.version2("one\0two")) == "one")
    }

    @Test func `a profile that is cut, or that lies about where its parts are, has no name`() {
        for whole in [SampleProfile.version2("sRGB"), SampleProfile.version4("sRGB")] {
            for count in 0..<whole.count - 5 {
                // The rest of the file follows, and does not belong to the profile.
                let cut = Array(whole.prefix(count))
                #expect(name(cut, after: Array(whole.dropFirst(count))) != "sRGB", "\(count)")
            }
            for offset in [0x7FFF_FFFF, 0xFFFF_FFFF, whole.count + 1] {
                var bytes = whole
                bytes.replaceSubrange(136..<140, with: SampleHeaders.big(offset, 4))
                #expect(name(bytes) == nil)
                bytes = whole
                bytes.replaceSubrange(140..<144, with: SampleHeaders.big(offset, 4))
                #expect(name(bytes, after: [UInt8](repeating: 65, count: 9)) == nil)
            }
        }
        let empty = SampleProfile.with(Array("desc".utf8) + SampleHeaders.big(0, 8))
        #expect(name(empty) == nil)
        let none = SampleProfile.with(
            Array("mluc".utf8) + SampleHeaders.big(0, 8) + [UInt8](repeating: 0, count: 20))
        #expect(name(none) == nil)
        #expect(name(SampleProfile.with(Array("text".utf8) + [UInt8](repeating: 65, count: 40))) == nil)
    }

    @Test func `no damage traps`() {
        var random = SeededRandom(for: "profiles")
        for _ in 0..<10_000 {
            var bytes =
                random.chance(50)
                ? SampleProfile.version2("Display P3") : SampleProfile.version4("Display P3")
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let index = Int.random(in: 120..<bytes.count, using: &random)
                bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &random) ?? 0
            }
            let found = name(bytes, after: random.bytes(8))
            #expect((found?.unicodeScalars.count ?? 0) <= 256)
        }
    }
}
