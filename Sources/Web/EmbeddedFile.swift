// SPDX-License-Identifier: Apache-2.0

internal import CWebPages
package import Kernel

/// A file within the executable: part of a page, a sample picture, or the thumbnail of one.
package struct EmbeddedFile: Sendable {
    /// For example `playground/index.html`, `samples/valley.jpg` and `thumbs/valley.webp`.
    package let path: String
    /// The whole file.
    package let bytes: ImmutableBytes

    /// All embedded files in that folder; `folder` ends with a slash.
    package static func all(in folder: String) -> [EmbeddedFile] {
        var count = 0
        guard let first = cwebpages_all(&count) else { return [] }
        return UnsafeBufferPointer(start: first, count: count).compactMap { file in
            let path = String(cString: file.path)
            guard path.hasPrefix(folder) else { return nil }
            return EmbeddedFile(
                path: path,
                bytes: ImmutableBytes(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        }
    }

    /// The path without its folders.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}
