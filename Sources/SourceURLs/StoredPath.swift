// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// `file://folder/path`, `s3://bucket/key` and `azure://container/blob`: the name of a place in the settings, and the path of one
/// file or object in it.
///
/// A path consists of bytes. Escapes are decoded once, and the bytes escaped again in one way, so that each file or object has one
/// URL and one key. A path is refused if a file system, a store or a proxy before it could read it in two ways.
enum StoredPath {
    /// The longest name of a bucket in S3 and of a container in Azure; also the limit for folders.
    private static let longestName = 63

    /// Parses the text after `file://`, `s3://` or `azure://`. With `isPrefix` it may be the place alone, or end in a slash.
    static func parse(
        _ rest: ArraySlice<UInt8>, _ scheme: SourceURL.Scheme, isPrefix: Bool
    ) throws(SourceURLError) -> SourceURL {
        let name = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard isName(name) else { throw .invalidPlace }
        let path = rest[name.endIndex...]
        guard !path.contains(UInt8(ascii: "?")) else { throw .unwantedQuery }
        let segments = segments(of: path.dropFirst(), scheme)
        let named = isPrefix && segments.last?.isEmpty == true ? segments.dropLast() : segments[...]
        guard named.allSatisfy({ isUsable($0, scheme) }), isPrefix || named.contains(where: { !$0.isEmpty })
        else { throw .invalidPath }
        var target: [UInt8] = []
        target.reserveCapacity(rest.count)
        for segment in segments {
            target.append(UInt8(ascii: "/"))
            // AWS Signature Version 4 needs signed paths in this form, and Azure's Shared Key reads them so.
            target += PercentEscape.encode(segment)
        }
        return SourceURL(
            scheme: scheme, host: String(decoding: name, as: UTF8.self), port: scheme.defaultPort,
            target: String(decoding: target, as: UTF8.self))
    }

    /// True for a name that the settings may give to a folder, and that a bucket or a container may have. Upper case is refused and
    /// not lowered, because in some stores it names another bucket.
    static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        (1...longestName).contains(name.count)
            && name.allSatisfy { $0.isNameByte && $0 == $0.asciiLowercased }
            && name.contains { $0.isASCIILetter || $0.isASCIIDigit }
    }

    /// The segments of a path. In a store's key an escaped slash separates segments like any other slash; in a file's path it stays
    /// in the segment, where `isUsable` refuses it.
    private static func segments(
        of path: ArraySlice<UInt8>, _ scheme: SourceURL.Scheme
    ) -> [ArraySlice<UInt8>] {
        func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
            bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        }
        if scheme == .file { return split(path).map { PercentEscape.decode(lenient: $0)[...] } }
        return split(PercentEscape.decode(lenient: path)[...])
    }

    private static func isUsable(_ segment: ArraySlice<UInt8>, _ scheme: SourceURL.Scheme) -> Bool {
        guard !segment.contains(0), !segment.elementsEqual(".".utf8), !segment.elementsEqual("..".utf8) else {
            return false
        }
        // Azure reads a backslash as a slash, so a blob would have two URLs, and a segment could hide a "..".
        if scheme == .azure, segment.contains(UInt8(ascii: "\\")) { return false }
        return scheme.isStore || !segment.isEmpty && !segment.contains(UInt8(ascii: "/"))
    }
}

extension SourceURL {
    /// The path of a file or an object as bytes, with escapes decoded, without the first slash.
    package var storedPath: [UInt8] {
        PercentEscape.decode(lenient: Array(target.utf8).dropFirst())
    }

    /// True for a name that a folder in the settings may have.
    package static func isPlaceName(_ name: String) -> Bool { StoredPath.isName(Array(name.utf8)[...]) }
}
