// SPDX-License-Identifier: Apache-2.0

package import HTTPServer
package import ImageHeaders
package import Kernel

/// RFC 2397: `data:`, the media type, `;base64,` and the bytes as RFC 4648 §4 spells them.
package enum DataURL {
    /// Bytes of a picture that is written so; a page with a larger one in it serves nobody.
    package static let longest = 16 << 20

    package static func of(_ body: Body, _ format: ImageFormat) -> Base64Text {
        Base64Text(prefix: ImmutableBytes("data:\(format.mediaType);base64,".utf8), of: body)
    }
}
