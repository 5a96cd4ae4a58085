// SPDX-License-Identifier: Apache-2.0
//
// `s3://bucket/key`, `gs://bucket/key`, `swift://container/object`, `abs://container/blob` and `local:///path`: the sources that
// imgproxy has beside the web. The names in them are written without escapes (`GetBucketAndKey` in fetcher/transport/url.go). In
// Pictor the first three are objects of the S3 store, and a local path is below the folder that the settings call `local`.

internal import SourceURLs

/// A source of one of these schemes.
struct ImgproxyStore {
    private let scheme: SourceURL.Scheme
    /// The name of the bucket, the container or the folder; empty if the text ends before it.
    private let place: Substring
    /// The rest, without the slashes before it; nil if there is none.
    private let key: Substring?

    /// The name of the folder for local paths.
    static let folder = "local"

    private static let schemes: [String: SourceURL.Scheme] = [
        "s3": .s3, "gs": .s3, "swift": .s3, "abs": .azure, "local": .file,
    ]

    /// Nil for a text of another scheme.
    init?(_ text: String) {
        guard let mark = text.firstRange(of: "://"),
            let scheme = Self.schemes[text[..<mark.lowerBound].lowercased()]
        else { return nil }
        self.scheme = scheme
        let rest = text[mark.upperBound...]
        guard scheme != .file else {
            (place, key) = (Self.folder[...], rest.drop { $0 == "/" })
            return
        }
        place = rest.prefix { $0 != "/" }
        key = place.endIndex == rest.endIndex ? nil : rest[place.endIndex...].drop { $0 == "/" }
    }

    /// True if nothing follows the place, not even a slash: characters appended to it could name another place.
    var isBare: Bool { key == nil }

    /// The object or the file as a source URL of the settings.
    var url: SourceURL {
        get throws(SourceURLError) {
            let name = (key ?? "").replacing("%", with: "%25").replacing("#", with: "%23")
            return try SourceURL.parse("\(scheme.rawValue)://\(place)/\(name)")
        }
    }
}
