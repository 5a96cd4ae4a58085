// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// A sample picture that the executable carries.
package struct Sample: Sendable {
    /// The host of their URLs. No resolver has an address for it (RFC 6761 §6.4).
    package static let host = "samples.pictor.invalid"

    /// As `valley.jpg`.
    package let name: String
    /// The whole file.
    package let bytes: ImmutableBytes

    /// Every sample.
    package static let all = EmbeddedFile.all(in: "samples/").map { Sample(name: $0.name, bytes: $0.bytes) }

    /// Small pictures of each for a list, by names such as `valley.webp`.
    package static let thumbnails = EmbeddedFile.all(in: "thumbs/")

    /// The thumbnail's name.
    package var thumbnail: String { "\(name.prefix { $0 != "." }).webp" }

    /// The sample by the path of its URL, as `/valley.jpg`.
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

    /// The URL by which a picture of it is asked for.
    package var url: String { "https://\(Self.host)/\(name)" }
    /// The media type.
    package var mediaType: String { MediaType.of(name).text }
}
