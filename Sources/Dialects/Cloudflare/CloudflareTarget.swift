// SPDX-License-Identifier: Apache-2.0
//
// `/cdn-cgi/image/{options}/{source}` has everything in its path. It is read and signed as the equivalent query: each option is a
// parameter, and `url` is the source.
//
//     /cdn-cgi/image/width=80,fit=cover/https://host/a.jpg?v=1
//         →  /cdn-cgi/image?width=80&fit=cover&url=https%3A%2F%2Fhost%2Fa.jpg%3Fv%3D1
//
// The options may be escaped as a whole, because some programs escape each segment of a path: `width%3D80%2Cfit%3Dcover`. A comma
// between parentheses belongs to a colour.
//
// The source is written unescaped, its query included, and is not decoded. A proxy may have merged its slashes, or a program may have
// escaped it as a whole. All three spellings become the same `url`: an absolute URL, or a path with one slash before it.

internal import Bytes
package import RequestGrammar

/// Converts each of the two forms into the other.
package enum CloudflareTarget {
    /// The part of the path that all of these URLs begin with, byte for byte.
    package static let prefix = CloudflareDialect.path + "/"

    /// The query equivalent to the path. It has no `url` if the path has no source.
    package static func query(_ target: RequestTarget) -> [UInt8] {
        let rest = target.rawPath.dropFirst(prefix.utf8.count)
        // The slash after an empty list of options may have been merged, too.
        let isBare = ["http:/", "https:/"].contains { beginsWith($0, rest) }
        let options = rest.prefix { $0 != UInt8(ascii: "/") && !isBare }
        let path = isBare ? rest : rest[options.endIndex...].dropFirst()
        var pieces = pieces(of: PercentEscape.decode(lenient: options)).map(parameter)
        if let source = source(path, target.query) {
            pieces.append(Array("url=".utf8) + escaped(source[...]))
        }
        return Array(pieces.joined(separator: "&".utf8))
    }

    /// The options between the commas. A comma belongs to a colour if the next of `(`, `)` and `=` after it is `)`. So an option with
    /// an unclosed parenthesis ends at its comma, wherever it stands in the list.
    private static func pieces(of options: [UInt8]) -> [ArraySlice<UInt8>] {
        var commas: [Int] = []
        var next: UInt8?
        for index in options.indices.reversed() {
            switch options[index] {
            case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "="): next = options[index]
            case UInt8(ascii: ",") where next != UInt8(ascii: ")"): commas.append(index)
            default: break
            }
        }
        var start = 0
        return (commas.reversed() + [options.count]).compactMap { end in
            defer { start = end + 1 }
            return start < end ? options[start..<end] : nil
        }
    }

    private static func parameter(_ piece: ArraySlice<UInt8>) -> [UInt8] {
        let name = piece.prefix { $0 != UInt8(ascii: "=") }
        guard name.endIndex < piece.endIndex else { return escaped(name) }
        return escaped(name) + Array("=".utf8) + escaped(piece[name.endIndex...].dropFirst())
    }

    /// The source as bytes; nil if there is none.
    private static func source(_ path: ArraySlice<UInt8>, _ query: [UInt8]?) -> [UInt8]? {
        let isEscaped = ["http%3a", "https%3a", "%2f"].contains { beginsWith($0, path) }
        let source = isEscaped ? PercentEscape.decode(lenient: path)[...] : path
        let behind = query.map { Array("?".utf8) + $0 } ?? []
        for scheme in ["http:/", "https:/"] where beginsWith(scheme, source) {
            let rest = source.dropFirst(scheme.utf8.count).drop { $0 == UInt8(ascii: "/") }
            return Array("\(scheme)/".utf8) + rest + behind
        }
        let rest = source.drop { $0 == UInt8(ascii: "/") }
        return rest.isEmpty ? nil : Array("/".utf8) + rest + behind
    }

    private static func beginsWith(_ word: String, _ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.prefix(word.utf8.count).map(\.asciiLowercased).elementsEqual(word.utf8)
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        PercentEscape.encode(bytes) { $0.isNameByte }
    }
}

extension CloudflareTarget {
    /// The path equivalent to the query, with the source escaped as a whole, so that no proxy changes it.
    package static func path(saying query: CanonicalQuery, signature: String) -> String {
        func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
        let options = query.parameters.filter { !$0.name.elementsEqual("url".utf8) }.map { parameter in
            parameter.value.map { "\(text(parameter.name))=\(text($0))" } ?? text(parameter.name)
        }
        let source = query.values(of: "url").first ?? nil
        return prefix + (options + ["sig=\(signature)"]).joined(separator: ",") + "/" + text(source ?? [])
    }
}
