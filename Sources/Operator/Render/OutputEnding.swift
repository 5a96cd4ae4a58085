// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ImageHeaders

/// The ending of the name that the command gives its only picture.
package struct OutputEnding: Sendable {
    /// In the spelling that Pictor uses, without a dot: ASCII letters and digits, the first of them a letter.
    let text: String

    /// Nil for a name that claims no format, such as `photo` or `photo.2`.
    package init?(of name: String) {
        text = RenderInput.usual(ending: (name as NSString).pathExtension)
        guard text.first?.isLetter == true, text.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
        else { return nil }
    }

    /// The format that programs take a file of this name for; nil if Pictor knows none.
    var format: ImageFormat? { ImageFormat.allCases.first { $0.fileExtension == text } }
}
