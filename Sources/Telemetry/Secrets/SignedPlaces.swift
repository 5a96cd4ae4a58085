// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import RequestGrammar

/// The paths below which the first segment is a signature, and those below which no segment is one.
struct SignedPlaces: Sendable, Equatable {
    /// The longest come first, because a target is read by the longest place that it is below.
    private let signed: [PathPlace]
    private let open: [PathPlace]

    init(_ signed: [PathPlace], open: [PathPlace]) {
        self.signed = signed.sorted { $0.base.utf8.count > $1.base.utf8.count }
        self.open = open
    }

    /// The segments that precede the signature in URLs that ask for JSON, in imgproxy's and imagor's dialects.
    private static let reports = ["info", "params"]

    /// The segments that stand in place of a signature.
    private static let words = ["insecure", "unsafe", "_"]

    /// The segment of a target's path that is its signature; nil if it has none.
    func signature(in text: UnsafeRawBufferPointer) -> Range<Int>? {
        guard !signed.isEmpty else { return nil }
        let path = text[Self.path(in: text)...]
        guard let place = signed.first(where: { Self.isBelow($0, path) }), !isOpen(path, below: place) else {
            return nil
        }
        let base = place.base.utf8
        var segment = Self.segment(of: text, from: path.startIndex + base.count + 1)
        if Self.isOne(segment, of: Self.reports), Self.isFollowed(segment) {
            segment = Self.segment(of: text, from: segment.endIndex + 1)
        }
        guard !segment.isEmpty, !Self.isOne(segment, of: Self.words) else { return nil }
        // A single segment below `/` is a file such as favicon.ico, or an unknown path.
        let isLone = base.isEmpty && !Self.isFollowed(segment)
        let isOwn = base.isEmpty && PathPlace.ownSegments.contains { segment.elementsEqual($0.utf8) }
        return isLone || isOwn ? nil : segment.startIndex..<segment.endIndex
    }

    /// True if the path is below an open place within this one.
    private func isOpen(_ path: Slice<UnsafeRawBufferPointer>, below place: PathPlace) -> Bool {
        open.contains { $0.base.utf8.count > place.base.utf8.count && Self.isBelow($0, path) }
    }

    private static func isBelow(_ place: PathPlace, _ path: Slice<UnsafeRawBufferPointer>) -> Bool {
        let base = place.base.utf8
        return path.starts(with: base) && path.dropFirst(base.count).first == UInt8(ascii: "/")
    }

    private static func segment(
        of text: UnsafeRawBufferPointer, from start: Int
    ) -> Slice<UnsafeRawBufferPointer> {
        text[start...].prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    }

    private static func isOne(_ segment: Slice<UnsafeRawBufferPointer>, of words: [String]) -> Bool {
        words.contains { segment.elementsEqual($0.utf8) }
    }

    /// True if a slash follows the segment.
    private static func isFollowed(_ segment: Slice<UnsafeRawBufferPointer>) -> Bool {
        segment.endIndex < segment.base.count && segment.base[segment.endIndex] == UInt8(ascii: "/")
    }

    /// Where the path begins; in a target in absolute form, behind the host (RFC 9112 §3.2.2).
    private static func path(in text: UnsafeRawBufferPointer) -> Int {
        guard let first = text.first, first != UInt8(ascii: "/") else { return 0 }
        for scheme in ["http://", "https://"] {
            let count = scheme.utf8.count
            guard text.prefix(count).map(\.asciiLowercased) == Array(scheme.utf8) else { continue }
            return text[count...].firstIndex(of: UInt8(ascii: "/")) ?? text.count
        }
        return 0
    }
}
