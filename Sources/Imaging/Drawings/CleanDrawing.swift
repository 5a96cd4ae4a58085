// SPDX-License-Identifier: Apache-2.0
// Makes an SVG harmless wherever it is shown, even inside a page: the SVG is parsed, and only the listed elements and
// attributes are written anew. Nothing of the original's spelling is left, so no reader can interpret it in another
// way.

/// Writes a harmless copy of a drawing.
package final class CleanDrawing: XMLHandler {
    /// Why no harmless copy can be made; words for the log.
    package struct Refusal: Error, Equatable {
        package let words: String
    }

    /// The longest drawing that is read, and the longest that is written, in bytes.
    package static let longest = 4 << 20
    /// The longest picture within a drawing, in characters of base64.
    static let longestPicture = 1 << 20

    /// An element that is copied.
    private struct Element {
        var name: String
        /// True if the element's characters are copied.
        var hasText: Bool
        /// True if the element's characters are a style sheet.
        var isSheet: Bool { name == "style" }
    }

    private var writer = DrawingWriter(limit: CleanDrawing.longest)
    private var elements: [Element] = []
    /// The depth within left-out elements: 0 while elements are copied.
    private var skipped = 0
    private var sheet = ""
    private var copies = DrawingCopies()

    private init() {}

    /// The harmless copy in UTF-8.
    /// - Throws: if the file is no SVG in XML, or has too many parts.
    package static func of(_ file: UnsafeRawBufferPointer) throws(Refusal) -> [UInt8] {
        guard file.count <= longest else { throw Refusal(words: "too long") }
        let drawing = CleanDrawing()
        do throws(XMLFault) {
            try XMLReader.read(file, to: drawing)
            try drawing.copies.check()
        } catch {
            throw Refusal(words: error.words)
        }
        return drawing.writer.bytes
    }

    func begin(_ name: XMLName, _ attributes: [(name: XMLName, value: String)]) throws(XMLFault) {
        let isRoot = elements.isEmpty && skipped == 0
        guard !isRoot || name.local == "svg" && isOfSVG(name) else { throw XMLFault("no SVG") }
        guard skipped == 0, isKept(name, attributes) else {
            skipped += 1
            return
        }
        let hasText =
            DrawingNames.texts.contains(name.local) || DrawingNames.notes.contains(name.local)
            || name.local == "a" && elements.last?.hasText == true
        writer.begin(name.local)
        if isRoot {
            writer.attribute("xmlns", DrawingNames.space)
            writer.attribute("xmlns:xlink", DrawingNames.linkSpace)
        }
        elements.append(Element(name: name.local, hasText: hasText))
        let kept = attributes.compactMap { DrawingAttribute($0.name, $0.value, of: name.local) }
        for attribute in kept { writer.attribute(attribute.name, attribute.value) }
        try count(name.local, kept)
        try checkLength()
    }

    func text(_ text: String) throws(XMLFault) {
        guard skipped == 0, let element = elements.last else { return }
        if element.isSheet { sheet += text } else if element.hasText { writer.text(text) }
        try checkLength()
    }

    func end() throws(XMLFault) {
        guard skipped == 0 else {
            skipped -= 1
            return
        }
        guard let element = elements.popLast() else { return }
        if element.isSheet {
            let rules = StyleSheet.rules(sheet)
            writer.text(rules)
            try copies.style(rules)
            sheet = ""
        }
        writer.end()
        copies.end()
        try checkLength()
    }

    /// Counts the element and the parts that it shows.
    private func count(_ name: String, _ attributes: [DrawingAttribute]) throws(XMLFault) {
        func value(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
        let path = ["path": value("d"), "polyline": value("points"), "polygon": value("points")][name]
        let vertices = name == "line" ? 2 : path.flatMap { $0 }.map(DrawingReference.vertices) ?? 0
        copies.begin(name, id: value("id"), classes: value("class") ?? "", vertices: vertices)
        let animates = DrawingNames.animations.contains(name)
        let hasLink = attributes.contains { $0.name.hasSuffix("href") }
        for attribute in attributes {
            // The link of an animation names the element that it changes. It shows no further element.
            if animates, attribute.name.hasSuffix("href") { continue }
            for shown in DrawingReference.all(in: attribute, of: name) {
                try copies.refer(shown, by: !animates ? .itself : hasLink ? .anyone : .parent)
            }
        }
    }

    private func checkLength() throws(XMLFault) {
        if writer.isOver { throw XMLFault("too long when it is written") }
    }

    private func isOfSVG(_ name: XMLName) -> Bool {
        name.space.isEmpty || name.space == DrawingNames.space
    }

    private func isKept(_ name: XMLName, _ attributes: [(name: XMLName, value: String)]) -> Bool {
        guard isOfSVG(name), DrawingNames.elements.contains(name.local) else { return false }
        if let parent = elements.last, parent.isSheet || DrawingNames.notes.contains(parent.name) {
            return false
        }
        guard DrawingNames.animations.contains(name.local), name.local != "animateMotion" else { return true }
        // An animation is copied only if the attribute that it changes is on the list.
        let changed = attributes.filter { $0.name.local == "attributeName" }
        return changed.count == 1 && changed.allSatisfy { DrawingNames.animated.contains($0.value) }
    }
}
