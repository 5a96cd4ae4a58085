// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import RequestGrammar
internal import SourceURLs

/// The file and how it is delivered.
extension ImgproxyDraft {
    mutating func takeQualities(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        guard arguments.texts.count.isMultiple(of: 2) else {
            throw arguments.refusal("pairs of a format and a quality")
        }
        for index in stride(from: 0, to: arguments.texts.count, by: 2) {
            let format = arguments.texts[index]
            guard Self.formats.contains(format) else {
                throw arguments.refusal("pairs of a format and a quality")
            }
            qualities[format == "jpeg" ? "jpg" : format] = try arguments.integer(0...100, at: index + 1)
        }
    }

    /// A limit in pixels; nil for none. 0 has no effect, as in imgproxy.
    func megapixels(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) -> Int? {
        let millions = try arguments.number(0...1_000_000, unit: " megapixels")
        // Cannot trap: 10¹² at most.
        return millions > 0 ? Int((millions * 1_000_000).rounded()) : nil
    }

    /// A limit; nil for 0.
    func limit(_ arguments: ImgproxyArguments, of unit: String) throws(ImgproxyRefusal) -> Int? {
        let most = try arguments.integer(0...1_000_000_000_000, unit: unit)
        return most > 0 ? most : nil
    }

    mutating func takePassed(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        let named = arguments.texts.filter { !$0.isEmpty }
        guard Self.formats.isSuperset(of: named) else { throw arguments.refusal("formats, as png:gif") }
        // As in imgproxy, the formats of a preset are kept.
        passed += named
    }

    mutating func takeFilename(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        let words = "a name in UTF-8, or the same in base64url"
        try arguments.atMost(2, words)
        let text = arguments.given(0) ?? ""
        let bytes =
            arguments.flag(1) ? Base64URL.decode(text) : PercentEscape.decode(Array(text.utf8)[...])
        guard let bytes, let name = String(validating: bytes, as: UTF8.self) else {
            throw arguments.refusal(words)
        }
        filename = name
    }

    /// Names the file as imgproxy does: by the URL's own name, else by the source's. The name of an encrypted source is not shown.
    func nameFile(of source: SourceURL, _ delivery: inout Delivery) {
        if let filename, FileName.give(filename, to: &delivery) { return }
        if let segment = sourceName, FileName.give(FileName.stem(segment), to: &delivery) { return }
        if !isSourceEncrypted, FileName.give(lastOf: source, to: &delivery) { return }
        delivery.filename = "image"
    }

    /// True for a format that imgproxy or imgproxy Pro knows.
    static func names(_ format: String) -> Bool {
        formats.contains(format) || ["best", "mp4"].contains(format)
    }

    /// imgproxy's formats.
    static let formats: Set<String> = [
        "jpg", "jpeg", "jxl", "png", "webp", "avif", "gif", "ico", "svg", "heic", "bmp", "tiff",
    ]
}
