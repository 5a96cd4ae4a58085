// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Error {
    /// Why a file cannot be read, in the system's words: "No such file or directory". Foundation's own speak of an
    /// operation that could not be completed.
    package var fileReason: String {
        let cocoa = self as? CocoaError
        if let reason = (self as? POSIXError ?? cocoa?.underlying as? POSIXError)?.code {
            return String(cString: strerror(reason.rawValue))
        }
        return cocoa?.code == .fileReadInapplicableStringEncoding ? "it is not UTF-8" : localizedDescription
    }
}
