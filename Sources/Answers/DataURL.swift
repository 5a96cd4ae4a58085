// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import ImageHeaders
package import Kernel

/// `data:` URLs (RFC 2397): the media type, `;base64,` and the bytes in base64 (RFC 4648 §4).
package enum DataURL {
    /// Bytes of the largest picture that is sent as a `data:` URL. No page could use a larger one.
    package static let longest = 16 << 20

    /// The URL's text, encoded while it is sent.
    package static func of(_ body: Body, _ format: ImageFormat) -> Base64Text {
        Base64Text(prefix: ImmutableBytes("data:\(format.mediaType);base64,".utf8), of: body)
    }
}
