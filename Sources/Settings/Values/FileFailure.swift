// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Error {
    /// Why a file cannot be read, in the system's words: "No such file or directory". Foundation's own words only say that an
    /// operation could not be completed.
    package var fileReason: String {
        let cocoa = self as? CocoaError
        if let reason = (self as? POSIXError ?? cocoa?.underlying as? POSIXError)?.code {
            // Foundation reports EACCES for a pipe or a device as well, although this process may read it.
            if reason == .EACCES, let path = cocoa?.filePath, access(path, R_OK) == 0 {
                return "it is not a regular file"
            }
            return String(cString: strerror(reason.rawValue))
        }
        // Foundation has two error codes for bytes that are not valid in the encoding.
        let otherText: [CocoaError.Code] = [.fileReadInapplicableStringEncoding, .fileReadCorruptFile]
        if let code = cocoa?.code, otherText.contains(code) { return "it is not UTF-8" }
        return localizedDescription
    }
}
