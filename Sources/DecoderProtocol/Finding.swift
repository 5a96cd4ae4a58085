// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The result of an inspection.
package enum Finding: Sendable, Hashable {
    case header(ImageHeader)
    case details(ImageDetails)
    case description(ImageHeader, ImageDetails)
    case notAnImage
    case damaged
    /// Not all of the file could be read: says nothing of the picture.
    case unreadable
    /// Bytes that lie in the output.
    case unpacked(length: Int)
    /// The bytes do not have the coding that was named, and are to be taken as they are.
    case notPacked
    /// The bytes unpack to more than the limit.
    case tooLarge
    /// The output took nothing: says nothing of the picture.
    case cannotWrite
}
