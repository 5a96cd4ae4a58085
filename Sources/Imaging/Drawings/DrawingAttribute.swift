// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// An attribute that may be copied.
struct DrawingAttribute: Equatable {
    /// The name with its usual prefix.
    let name: String
    let value: String

    /// Nil if the attribute is left out.
    /// - Parameter element: the name of an element that is copied.
    init?(_ name: XMLName, _ value: String, of element: String) {
        switch (name.space, name.local) {
        case ("", "href"), (DrawingNames.linkSpace, "href"):
            guard let link = Self.link(value, of: element) else { return nil }
            self.init(name: name.space.isEmpty ? "href" : "xlink:href", value: link)
        case (DrawingNames.xmlSpace, "space") where ["preserve", "default"].contains(value):
            self.init(name: "xml:space", value: value)
        case (DrawingNames.xmlSpace, "lang"): self.init(name: "xml:lang", value: value)
        case ("", "style") where element != "style":
            let kept = StyleSheet.declarations(value)
            guard !kept.isEmpty else { return nil }
            self.init(name: "style", value: kept)
        case ("", "attributeName") where DrawingNames.animations.contains(element):
            self.init(name: name.local, value: value)
        case ("", let local) where DrawingNames.animations.contains(element):
            guard Self.isKeptInAnimation(local, value) else { return nil }
            self.init(name: local, value: value)
        case ("", let local) where DrawingNames.styles.contains(local):
            guard StyleValue.isSafe(value) else { return nil }
            self.init(name: local, value: value)
        case ("", let local) where DrawingNames.attributes.contains(local):
            self.init(name: local, value: value)
        default: return nil
        }
    }

    private init(name: String, value: String) { (self.name, self.value) = (name, value) }

    /// `from`, `to`, `by` and `values` hold values of a property; `values` separates them by semicolons. `fill` says
    /// what remains after an animation, and is a plain word.
    private static func isKeptInAnimation(_ name: String, _ value: String) -> Bool {
        if DrawingNames.animatedValues.contains(name) {
            return value.split(separator: ";").allSatisfy { StyleValue.isSafe(String($0)) }
        }
        return DrawingNames.attributes.contains(name)
    }

    /// A reference to a part of the drawing, or a picture as a data URL.
    private static func link(_ value: String, of element: String) -> String? {
        guard DrawingNames.referring.contains(element) else { return nil }
        let text = value.utf8.filter { !StyleValue.isSpace($0) }
        let link = String(decoding: text, as: UTF8.self)
        if StyleValue.isReference(link) { return link }
        return DrawingNames.pictures.contains(element) && isPicture(text) ? link : nil
    }

    private static func isPicture(_ link: [UInt8]) -> Bool {
        guard link.count <= CleanDrawing.longestPicture,
            let comma = link.firstIndex(of: UInt8(ascii: ","))
        else { return false }
        let start = String(decoding: link[..<comma], as: UTF8.self).lowercased()
        let types = ["png", "jpeg", "jpg", "gif", "webp"].map { "data:image/\($0);base64" }
        return types.contains(start)
            && link[(comma + 1)...].allSatisfy {
                $0.isASCIILetter || $0.isASCIIDigit || "+/=".utf8.contains($0)
            }
    }
}
