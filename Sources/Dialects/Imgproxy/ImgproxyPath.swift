// SPDX-License-Identifier: Apache-2.0
//
// The parts of a path: `SIGNATURE/options…/source…`. The signature covers everything after it, including the slash before that, as
// the site wrote it. So changes that proxies are known to make are reverted first, as imgproxy does.

internal import Bytes
internal import Foundation
internal import RequestGrammar

struct ImgproxyPath {
    /// True if a description is asked for: `info/SIGNATURE/options…/source…`, signed like other URLs.
    let isInfo: Bool
    let signature: String
    /// The signed part: `/rs:fill:300:400/plain/http://host/a.jpg`.
    let text: String

    /// - Parameter rest: the path after the place of the dialect.
    /// - Returns: nil without a signature, without anything after it, and for invalid UTF-8.
    init?(_ rest: ArraySlice<UInt8>) {
        guard let whole = String(validating: rest, as: UTF8.self) else { return nil }
        isInfo = whole.hasPrefix("info/")
        let parts = isInfo ? whole.dropFirst("info/".count) : whole[...]
        let signature = parts.prefix { $0 != "/" }
        let path = parts[signature.endIndex...].dropFirst()
        guard !signature.isEmpty, !path.isEmpty else { return nil }
        self.signature = String(signature)
        let mended = Self.mended(String(path))
        // As in imgproxy, a second slash behind the signature counts as none: programs put a path with a slash of its own there.
        text = mended.hasPrefix("/") ? mended : "/" + mended
    }

    /// Words that may replace a signature.
    private static let words: Set<String> = ["insecure", "unsafe", "_"]

    var isUnsigned: Bool { Self.words.contains(signature) }

    /// Reverts changes by proxies, which escape the colons of options, and merge the slashes of a source.
    private static func mended(_ path: String) -> String {
        guard
            let plain = path.hasPrefix("plain/")
                ? path.startIndex : path.firstRange(of: "/plain/")?.lowerBound
        else { return path.replacing("%3A", with: ":") }
        let options = path[..<plain].replacing("%3A", with: ":")
        let source = path[plain...].drop { $0 == "/" }.dropFirst("plain/".count)
        let scheme = source.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let rest = source[scheme.endIndex...]
        let isMerged = !scheme.isEmpty && rest.hasPrefix(":/") && !rest.hasPrefix("://")
        // A path in the local folder has its own leading slash.
        let mark: Substring = scheme == "local" ? ":///" : "://"
        let mended = isMerged ? scheme + mark + rest.dropFirst(2) : source
        return (options.isEmpty ? "" : options + "/") + "plain/" + mended
    }
}

extension ImgproxyPath {
    /// The signed part of a URL equivalent to a query, in which `rs=fill:300:400` is an option. If URLs name presets only, the query
    /// must have exactly `pr=thumb:sharp`, and the URL cannot have an expiry.
    static func text(saying query: CanonicalQuery, _ rules: ImgproxyRules) throws(ImgproxyRefusal) -> String {
        var segments: [String] = []
        var source: [UInt8] = []
        for parameter in query.parameters {
            let name = String(decoding: parameter.name, as: UTF8.self)
            let value = String(decoding: parameter.value ?? [], as: UTF8.self)
            switch name {
            case "url": source = PercentEscape.decode(lenient: (parameter.value ?? [])[...])
            default:
                let plain = value.replacing("%3A", with: ":").replacing("%2C", with: ",")
                guard rules.onlyPresets else {
                    segments.append("\(name)\(rules.separator)\(plain)")
                    continue
                }
                guard ["pr", "preset"].contains(name), !plain.isEmpty else { throw .onlyPresets }
                segments.append(plain)
            }
        }
        guard !rules.onlyPresets || segments.count == 1 else { throw .onlyPresets }
        return "/" + (segments + [Base64URL.encode(source)]).joined(separator: "/")
    }
}
