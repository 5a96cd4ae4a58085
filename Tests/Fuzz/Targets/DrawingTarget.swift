// SPDX-License-Identifier: Apache-2.0

internal import Imaging

/// A drawing that is passed on has nothing to lose, and is written as plainly as this reads it: tags of listed elements,
/// attributes in double quotes, and references in place of whatever begins or ends one of them.
enum DrawingTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        guard let clean = try? CleanDrawing.of(bytes) else { return }
        expect(
            (try? clean.withUnsafeBytes { bytes in try CleanDrawing.of(bytes) }) == clean, "clean is clean")
        var rest = clean[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(start + 1)...]
            guard let end = endOfTag(rest) else { fatalError("broken promise: a tag ends") }
            read(tag: rest[..<end])
            rest = rest[(end + 1)...]
        }
    }

    private static func endOfTag(_ text: ArraySlice<UInt8>) -> Int? {
        var isQuoted = false
        for (place, byte) in zip(text.indices, text) {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            expect(byte != UInt8(ascii: "<"), "a tag holds no other")
            if byte == UInt8(ascii: ">") {
                expect(!isQuoted, "a value holds no end of a tag")
                return place
            }
        }
        return nil
    }

    private static func read(tag: ArraySlice<UInt8>) {
        var parts = String(decoding: tag, as: UTF8.self).split(
            separator: "\"", omittingEmptySubsequences: false)
        let first = parts.removeFirst()
        let name = first.split(separator: " ").first?.filter { $0 != "/" } ?? ""
        let harmful = ["script", "foreignObject", "iframe", "object", "embed", "link", "meta", "handler"]
        expect(!name.isEmpty && !harmful.contains(String(name)), "no element does anything")
        // Names at even places, values at odd ones.
        var attribute = first.split(separator: " ").last ?? ""
        for (place, part) in parts.enumerated() {
            guard place % 2 == 0 else {
                attribute = part.split(separator: " ").last ?? ""
                continue
            }
            expect(!attribute.hasPrefix("on"), "nothing waits for an event")
            guard attribute.hasSuffix("href=") else { continue }
            expect(part.hasPrefix("#") || part.lowercased().hasPrefix("data:image/"), "no link leads outside")
        }
    }
}
