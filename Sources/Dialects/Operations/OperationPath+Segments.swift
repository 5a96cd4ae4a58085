// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension OperationPath {
    /// Reads the segments, and returns the rest, which has the filters and the name.
    mutating func take(
        _ path: ArraySlice<UInt8>, _ grammar: OperationGrammar
    ) -> ArraySlice<UInt8> {
        var segments = Segments(path)
        if grammar.hasDebug { debugs = segments.take { $0 == "debug" ? true : nil } ?? false }
        describes = segments.take { $0 == "meta" ? true : nil } ?? false
        trim = segments.take(TrimOrder.init)
        crop = segments.take { Corners($0, fractions: grammar.hasFractions) }
        fitIn = segments.take(FitIn.init)
        if grammar.hasStretch { stretches = segments.take { $0 == "stretch" ? true : nil } ?? false }
        if let box = segments.take({ Box($0, originals: grammar.hasOriginalSides) }) {
            (width, height) = (box.width.side, box.height.side)
            (mirrorsAcross, mirrorsDown) = (box.width.mirrors, box.height.mirrors)
        }
        if grammar.hasPadding { padding = segments.take(Corners.init(padding:)) }
        acrossWord = segments.take { ["left", "center", "right"].contains($0) ? $0 : nil }
        downWord = segments.take { ["top", "middle", "bottom"].contains($0) ? $0 : nil }
        isSmart = segments.take { $0 == "smart" ? true : nil } ?? false
        return segments.rest
    }
}

/// The rest of a path while it is read from the front.
private struct Segments {
    private(set) var rest: ArraySlice<UInt8>

    init(_ path: ArraySlice<UInt8>) { rest = path.drop { $0 == UInt8(ascii: "/") } }

    /// Takes the next segment if `read` accepts it. A part without a slash after it is the name and no segment.
    mutating func take<Value>(_ read: (String) -> Value?) -> Value? {
        // Reads at most 96 bytes, because the longest segment has only four numbers.
        guard let slash = rest.prefix(96).firstIndex(of: UInt8(ascii: "/")),
            let value = read(String(decoding: rest[..<slash], as: UTF8.self))
        else { return nil }
        rest = rest[slash...].dropFirst()
        return value
    }
}

extension OperationPath.TrimOrder {
    fileprivate init?(_ segment: String) {
        var parts = segment.split(separator: ":", omittingEmptySubsequences: false)[...]
        guard parts.popFirst() == "trim" else { return nil }
        if let corner = parts.first, ["top-left", "bottom-right"].contains(corner) {
            isBottomRight = corner == "bottom-right"
            parts = parts.dropFirst()
        }
        if let number = parts.popFirst() {
            guard let pixels = Pixels.read(number) else { return nil }
            tolerance = pixels
        }
        guard parts.isEmpty else { return nil }
    }
}

extension OperationPath.FitIn {
    fileprivate init?(_ segment: String) {
        switch segment {
        case "fit-in": break
        case "full-fit-in": isFull = true
        case "adaptive-fit-in": isAdaptive = true
        case "adaptive-full-fit-in": (isAdaptive, isFull) = (true, true)
        default: return nil
        }
    }
}

extension OperationPath.Corners {
    /// Reads `AxB:CxD`, in pixels or in fractions of 1.
    fileprivate init?(_ segment: String, fractions: Bool) {
        let points = Self.points(segment) { Self.number($0, fractions: fractions) }
        guard points.count == 2, let from = points.first, let to = points.last else { return nil }
        self.init(left: from.x, top: from.y, right: to.x, bottom: to.y)
    }

    /// Reads `AxB`, or `AxB:CxD` with other margins on the right and at the bottom.
    fileprivate init?(padding segment: String) {
        let points = Self.points(segment) { Pixels.read($0).map { Double($0) } }
        guard points.count <= 2, let from = points.first, let to = points.last else { return nil }
        self.init(left: from.x, top: from.y, right: to.x, bottom: to.y)
    }

    /// The points; empty if one of them cannot be read.
    private static func points(
        _ text: String, _ read: (Substring) -> Double?
    ) -> [(x: Double, y: Double)] {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let points = parts.compactMap { part -> (x: Double, y: Double)? in
            let sides = part.split(separator: "x", omittingEmptySubsequences: false)
            guard sides.count == 2, let x = sides.first.flatMap(read), let y = sides.last.flatMap(read) else {
                return nil
            }
            return (x, y)
        }
        return points.count == parts.count ? points : []
    }

    private static func number(_ text: Substring, fractions: Bool) -> Double? {
        if let pixels = Pixels.read(text) { return Double(pixels) }
        guard fractions, !text.hasPrefix("-"), !text.hasSuffix("."),
            let number = DecimalText.read(String(text.prefix(12))), number <= 1
        else { return nil }
        return number
    }
}

/// The segment `-300x200`.
private struct Box {
    let width: (side: OperationPath.Side, mirrors: Bool)
    let height: (side: OperationPath.Side, mirrors: Bool)

    init?(_ segment: String, originals: Bool) {
        let sides = segment.split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = sides.first.flatMap({ Self.side($0, originals: originals) }),
            let height = sides.last.flatMap({ Self.side($0, originals: originals) })
        else { return nil }
        (self.width, self.height) = (width, height)
    }

    private static func side(
        _ text: Substring, originals: Bool
    ) -> (side: OperationPath.Side, mirrors: Bool)? {
        let mirrors = text.hasPrefix("-")
        let number = mirrors ? text.dropFirst() : text
        if number.isEmpty { return (.free, mirrors) }
        if originals, number == "orig" { return (.original, mirrors) }
        return Pixels.read(number).map { ($0 == 0 ? .free : .pixels($0), mirrors) }
    }
}

/// Whole numbers in a path.
private enum Pixels {
    /// Reads a number, clamped to a billion.
    static func read(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        return min(Int(text) ?? .max, 1_000_000_000)
    }
}
