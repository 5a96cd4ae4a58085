// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// `file://folder/path`, `s3://bucket/key` and `azure://container/blob`: the name of a place that the settings know, and the
/// path of one thing in it.
///
/// A path is bytes. Escapes are undone once, and the bytes escaped again in one way, so that one file or object has
/// one URL and one key. A path that a file system, a store or a proxy before it could read in two ways is refused.
enum StoredPath {
    /// The longest name of a bucket in S3 and of a container in Azure; a folder has no longer one.
    private static let longestName = 63

    /// Reads what follows `file://`, `s3://` or `azure://`. A prefix may be the place alone, or end in a slash.
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
            // As AWS Signature Version 4 asks of the paths it signs, and as Azure's Shared Key reads them.
            target += PercentEscape.encode(segment)
        }
        return SourceURL(
            scheme: scheme, host: String(decoding: name, as: UTF8.self), port: scheme.defaultPort,
            target: String(decoding: target, as: UTF8.self))
    }

    /// True for a name that settings may give to a folder, and that a bucket or a container may have. Upper case is refused and not
    /// lowered, because it is another bucket's in some stores.
    static func isName(_ name: ArraySlice<UInt8>) -> Bool {
        (1...longestName).contains(name.count)
            && name.allSatisfy { $0.isNameByte && $0 == $0.asciiLowercased }
            && name.contains { $0.isASCIILetter || $0.isASCIIDigit }
    }

    /// An escaped slash separates the parts of a key as any other does, and is no part of a file's name.
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
        // Azure reads a backslash as a slash, so a blob would have two URLs, and a segment could hide one that is "..".
        if scheme == .azure, segment.contains(UInt8(ascii: "\\")) { return false }
        return scheme.isStore || !segment.isEmpty && !segment.contains(UInt8(ascii: "/"))
    }
}

extension SourceURL {
    /// The bytes of the path of a file or an object, escapes undone, without the first slash.
    package var storedPath: [UInt8] {
        PercentEscape.decode(lenient: Array(target.utf8).dropFirst())
    }

    /// True for a name that a folder of the settings may have.
    package static func isPlaceName(_ name: String) -> Bool { StoredPath.isName(Array(name.utf8)[...]) }
}
