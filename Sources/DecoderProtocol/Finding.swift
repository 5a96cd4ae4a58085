// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The result of an inspection.
package enum Finding: Sendable, Hashable {
    case header(ImageHeader)
    case details(ImageDetails)
    case description(ImageHeader, ImageDetails)
    case notAnImage
    case damaged
    /// The file could not be read completely. Says nothing about the picture.
    case unreadable
    /// The number of unpacked bytes in the output.
    case unpacked(length: Int)
    /// The bytes do not have the declared coding, and should be used as they are.
    case notPacked
    /// The bytes unpack to more than the limit.
    case tooLarge
    /// The output could not be written. Says nothing about the picture.
    case cannotWrite
}
