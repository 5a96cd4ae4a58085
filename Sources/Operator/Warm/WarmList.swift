// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The URLs of pictures in a list (one per line), in a sitemap (sitemaps.org, with the image extension) or in a page.
package struct WarmList: Sendable, Equatable {
    /// Why a list has no URLs.
    package enum Mistake: Error, Sendable, Equatable, CustomStringConvertible {
        case damaged, tooLong(limit: Int), compressedTwice, index, noPictures(of: Int)

        package var description: String {
            switch self {
            case .damaged: "It is compressed by gzip, and damaged or cut off."
            case .tooLong(let limit):
                "It is longer than \(limit >> 20) MiB, unpacked if it is compressed; split it."
            case .compressedTwice: "It is compressed twice: zcat FILE | pictor warm -"
            case .index: "It is an index of sitemaps, which names no pictures; give the sitemaps themselves."
            case .noPictures(let pages):
                "This sitemap names \(pages) pages and no pictures (image:loc); give the pages themselves."
            }
        }
    }

    /// The URLs in their order, each once.
    package private(set) var urls: [String] = []
    /// The number of relative URLs without a page to resolve them against.
    package private(set) var relative = 0
    private var seen: Set<String> = []

    /// The most bytes of a list, also of one that is not compressed.
    package static let longest = GzipList.limit

    /// - Parameters:
    ///   - bytes: the list, which may be compressed with gzip.
    ///   - base: the URL of the page, against which relative URLs are resolved; nil if unknown.
    package init(_ bytes: [UInt8], base: String?) throws(Mistake) {
        guard bytes.count <= Self.longest else { throw .tooLong(limit: Self.longest) }
        let bytes = GzipList.isGzip(bytes) ? try GzipList.decompressed(bytes) : bytes
        if GzipList.isGzip(bytes) { throw .compressedTwice }
        let text = bytes.drop { $0 <= 0x20 || [0xEF, 0xBB, 0xBF].contains($0) }
        guard text.first == UInt8(ascii: "<") else {
            readLines(String(decoding: text, as: UTF8.self))
            return
        }
        var scanner = MarkupScanner(Array(text))
        var tokens: [MarkupScanner.Token] = []
        while let token = scanner.next() {
            if case .start("urlset", _) = token {
                try readSitemap(scanner)
                return
            }
            if case .start("sitemapindex", _) = token { throw .index }
            tokens.append(token)
        }
        readPage(tokens, base: base.flatMap(URL.init(string:)))
    }

    private mutating func readLines(_ text: String) {
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if !line.isEmpty, !line.hasPrefix("#") { add(line) }
        }
    }

    // MARK: Sitemaps

    private mutating func readSitemap(_ scanner: MarkupScanner) throws(Mistake) {
        var (scanner, place, pages) = (scanner, String?.none, 0)
        while let token = scanner.next() {
            switch token {
            case .start("image:loc", _): place = ""
            case .start("loc", _): pages += 1
            case .text(let text): place = place.map { $0 + text }
            case .end("image:loc"):
                if let url = place.take() { add(url.trimmingCharacters(in: .whitespacesAndNewlines)) }
            case .start, .end: break
            }
        }
        if urls.isEmpty, pages > 0 { throw .noPictures(of: pages) }
    }

    // MARK: Pages

    private mutating func readPage(_ tokens: [MarkupScanner.Token], base: URL?) {
        var base = base
        for case .start(let name, let attributes) in tokens {
            switch name {
            case "base":
                if let own = attributes["href"].flatMap({ URL(string: $0, relativeTo: base) }) { base = own }
            case "img", "source":
                // In <source>, `src` belongs to sound and video.
                let single = name == "img" ? ["src", "data-src"] : []
                for key in single { add(attributes[key], base) }
                for key in ["srcset", "data-srcset"] { addSet(attributes[key], base) }
            case "link" where attributes["as"]?.lowercased() == "image":
                add(attributes["href"], base)
                addSet(attributes["imagesrcset"], base)
            default: break
            }
        }
    }

    private mutating func addSet(_ text: String?, _ base: URL?) {
        for url in Self.candidates(text ?? "") { add(url, base) }
    }

    /// The URLs of a `srcset` (HTML, 4.8.4.3.6): a URL may contain commas, but not at its end.
    static func candidates(_ text: String) -> [String] {
        var (rest, urls) = (text[...], [String]())
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "," }
            guard !rest.isEmpty else { return urls }
            let url = rest.prefix { !$0.isWhitespace }
            rest = rest.dropFirst(url.count)
            let ending = url.reversed().prefix { $0 == "," }.count
            urls.append(String(url.dropLast(ending)))
            guard ending == 0 else { continue }
            var depth = 0
            rest = rest.drop { character in
                if character == "(" { depth += 1 }
                if character == ")" { depth -= 1 }
                return character != "," || depth > 0
            }
        }
    }

    private mutating func add(_ text: String?, _ base: URL?) {
        let text = text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard !text.isEmpty, !text.lowercased().hasPrefix("data:"), !text.hasPrefix("#") else { return }
        if text.contains("://"), !text.hasPrefix("/") { return add(text) }
        guard let base, let url = URL(string: text, relativeTo: base), url.host() != nil else {
            // A path may be a target of Pictor itself.
            if text.hasPrefix("/"), !text.hasPrefix("//") { add(text) } else { relative += 1 }
            return
        }
        add(url.absoluteString)
    }

    private mutating func add(_ url: String) { if seen.insert(url).inserted { urls.append(url) } }
}
