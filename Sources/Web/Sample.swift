// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// A sample picture within the executable.
package struct Sample: Sendable {
    /// The host of the samples' URLs. No resolver has an address for it (RFC 6761 §6.4).
    package static let host = "samples.pictor.invalid"

    /// The file's name, such as `valley.jpg`.
    package let name: String
    /// The whole file.
    package let bytes: ImmutableBytes

    /// Every sample.
    package static let all = EmbeddedFile.all(in: "samples/").map { Sample(name: $0.name, bytes: $0.bytes) }

    /// A thumbnail of each sample, with names such as `valley.webp`.
    package static let thumbnails = EmbeddedFile.all(in: "thumbs/")

    /// The thumbnail's name.
    package var thumbnail: String { "\(name.prefix { $0 != "." }).webp" }

    /// The sample by the path of its URL, such as `/valley.jpg`.
    package static func at(_ path: String) -> Sample? { all.first { "/\($0.name)" == path } }

    /// The subject of the sample.
    package var title: String {
        switch name.prefix(while: { $0 != "." }) {
        case "valley": "Landscape"
        case "portrait": "Portrait"
        case "words": "Text"
        case "glass": "Transparency"
        case "wheel": "Animation"
        case "gamut": "Wide gamut"
        default: name
        }
    }

    /// The source URL of the sample.
    package var url: String { "https://\(Self.host)/\(name)" }
    /// The media type.
    package var mediaType: String { MediaType.of(name).text }
}
