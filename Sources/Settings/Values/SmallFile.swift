// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Glibc

/// Files with settings, secrets or certificates. `fileReason` tells why one cannot be read.
private enum SmallFile {
    /// The most bytes of such a file, far more than any has. The reader of a larger one would run out of memory.
    private static let most = 16 << 20

    /// - Throws: if the file is larger.
    static func check(_ path: String) throws {
        var status = stat()
        if stat(path, &status) == 0, status.st_size > most { throw POSIXError(.EFBIG) }
    }
}

extension String {
    /// The text of a file with settings or secrets.
    package init(smallFile path: String) throws {
        try SmallFile.check(path)
        try self.init(contentsOfFile: path, encoding: .utf8)
    }
}

extension Data {
    /// The bytes of a file with certificates.
    package init(smallFile path: String) throws {
        try SmallFile.check(path)
        try self.init(contentsOf: URL(filePath: path))
    }
}
