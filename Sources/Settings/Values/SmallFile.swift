// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Glibc

extension String {
    /// The most bytes of a file with settings or secrets, far more than any has. The reader of a larger one would run out of memory.
    private static let mostOfSmallFile = 16 << 20

    /// The text of a file with settings or secrets. `fileReason` tells why it cannot be read.
    package init(smallFile path: String) throws {
        var status = stat()
        if stat(path, &status) == 0, status.st_size > Self.mostOfSmallFile { throw POSIXError(.EFBIG) }
        try self.init(contentsOfFile: path, encoding: .utf8)
    }
}
