// SPDX-License-Identifier: Apache-2.0
// XMP in APP1 of a JPEG, behind "http://ns.adobe.com/xap/1.0/" and a zero. The map's own packet holds its terms, as
// attributes or as elements, with a list (rdf:Seq) if there are three channels. The primary picture's packet has the
// version, and the directory of the pictures behind the end (Ultra HDR image format 1.1, "GContainer").

extension GainMapTerms {
    package static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)

    /// - Parameter bytes: the segment without its name.
    package init?(xmp bytes: ArraySlice<UInt8>) {
        let names = GainMapNames()
        // Names read before a fault count: the fault may be the padding of the XMP packet.
        bytes.withUnsafeBytes { bytes in try? XMLReader.read(bytes, to: names) }
        guard names.values["Version"] == ["1.0"],
            names.values["BaseRenditionIsHDR"] ?? ["False"] == ["False"],
            names.numbers("GainMapMax") != nil, let full = names.numbers("HDRCapacityMax")?.first,
            let least = (names.numbers("HDRCapacityMin") ?? [0]).first
        else { return nil }
        let count = Self.names.map { names.values[$0.name]?.count ?? 1 }.max() ?? 1
        var channels: [Channel] = []
        for index in 0..<min(count, 3) {
            var channel = Channel(most: 0)
            for (name, place) in Self.names where names.values[name] != nil {
                guard let numbers = names.numbers(name) else { return nil }
                channel[keyPath: place] = numbers.count == 3 ? numbers[index] : numbers[0]
            }
            channels.append(channel)
        }
        self.init(channels: channels, leastHeadroom: least, fullHeadroom: full)
    }

    /// The XMP name of each term of a channel.
    private static var names: [(name: String, place: WritableKeyPath<Channel, Int>)] {
        [
            ("GainMapMin", \.least), ("GainMapMax", \.most), ("Gamma", \.gamma), ("OffsetSDR", \.baseOffset),
            ("OffsetHDR", \.brightOffset),
        ]
    }

    /// The map's segment with its name.
    package var xmp: [UInt8] {
        var (attributes, elements) = ("hdrgm:Version=\"1.0\"", "")
        for (name, place) in Self.names {
            let texts = channels.map { Self.text($0[keyPath: place]) }
            if Set(texts).count == 1 {
                attributes += " hdrgm:\(name)=\"\(texts[0])\""
            } else {
                let list = texts.map { "<rdf:li>\($0)</rdf:li>" }.joined()
                elements += "<hdrgm:\(name)><rdf:Seq>\(list)</rdf:Seq></hdrgm:\(name)>"
            }
        }
        attributes += " hdrgm:HDRCapacityMin=\"\(Self.text(leastHeadroom))\""
        attributes += " hdrgm:HDRCapacityMax=\"\(Self.text(fullHeadroom))\""
        return Self.packet(attributes + " hdrgm:BaseRenditionIsHDR=\"False\"", elements)
    }

    /// The primary picture's segment with its name.
    /// - Parameter length: the length of the map's file in bytes.
    static func directory(length: Int) -> [UInt8] {
        func item(_ attributes: String) -> String {
            "<rdf:li rdf:parseType=\"Resource\"><Container:Item Item:Mime=\"image/jpeg\" \(attributes)/></rdf:li>"
        }
        let spaces =
            "xmlns:Container=\"\(GainMapNames.container)\" xmlns:Item=\"\(GainMapNames.item)\" "
        let items =
            item("Item:Semantic=\"Primary\"") + item("Item:Semantic=\"GainMap\" Item:Length=\"\(length)\"")
        return packet(
            spaces + "hdrgm:Version=\"1.0\"",
            "<Container:Directory><rdf:Seq>\(items)</rdf:Seq></Container:Directory>")
    }

    private static func packet(_ attributes: String, _ elements: String) -> [UInt8] {
        let description = "<rdf:Description rdf:about=\"\" xmlns:hdrgm=\"\(GainMapNames.map)\" \(attributes)"
        let text =
            "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"\(GainMapNames.rdf)\">\(description)>"
            + "\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>"
        return xmpName + Array(text.utf8)
    }

    private static func text(_ millionths: Int) -> String {
        let (whole, rest) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        var digits = String(String(1_000_000 + rest).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return (millionths < 0 ? "-" : "") + "\(whole)" + (digits.isEmpty ? "" : "." + digits)
    }
}

/// Collects a gain map's terms from XMP, and the length of the map's file from the directory.
final class GainMapNames: XMLHandler {
    static let map = "http://ns.adobe.com/hdr-gain-map/1.0/"
    static let container = "http://ns.google.com/photos/1.0/container/"
    static let item = "http://ns.google.com/photos/1.0/container/item/"
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

    /// The values of each name: one, or several of a list.
    private(set) var values: [String: [String]] = [:]
    /// The length of the map's file in bytes.
    private(set) var mapLength: Int?
    /// The bytes between the map's end and the file's, as those of a motion photo's video.
    private(set) var lengthBehindMap = 0
    /// For each open element, the name of its term; nil if it is no term.
    private var open: [String?] = []
    private var words = ""

    /// Nil if a value is no number, or if there are neither one nor three.
    func numbers(_ name: String) -> [Int]? {
        guard let texts = values[name], texts.count == 1 || texts.count == 3 else { return nil }
        let numbers = texts.compactMap { Double($0).flatMap(GainMapTerms.millionths) }
        return numbers.count == texts.count ? numbers : nil
    }

    func begin(_ name: XMLName, _ attributes: [(name: XMLName, value: String)]) throws(XMLFault) {
        for (name, value) in attributes where name.space == Self.map { values[name.local] = [value] }
        open.append(name.space == Self.map ? name.local : nil)
        words = ""
        guard name.space == Self.container, name.local == "Item" else { return }
        let item = attributes.filter { $0.name.space == Self.item }
        func length(_ name: String) -> Int? {
            item.first { $0.name.local == name }.flatMap { Int($0.value) }.map { min(max($0, 0), 1 << 40) }
        }
        if item.contains(where: { $0.name.local == "Semantic" && $0.value == "GainMap" }) {
            (mapLength, lengthBehindMap) = (length("Length"), length("Padding") ?? 0)
        } else if mapLength != nil {
            // Cannot trap: the packets have room for a few thousand items.
            lengthBehindMap += (length("Length") ?? 0) + (length("Padding") ?? 0)
        }
    }

    func text(_ text: String) throws(XMLFault) { if words.utf8.count < 64 { words += text } }

    /// Stores the text of an element that is a term, or lies within one.
    func end() throws(XMLFault) {
        let term = open.last { $0 != nil } ?? nil
        _ = open.popLast()
        let word = words.filter { !$0.isWhitespace }
        words = ""
        if let term, !word.isEmpty { values[term, default: []].append(word) }
    }
}
