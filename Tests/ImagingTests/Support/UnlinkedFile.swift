// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A temporary file without a name.
final class UnlinkedFile {
    let descriptor: Int32

    init(_ bytes: [UInt8]) {
        let folder = FileManager.default.temporaryDirectory
        var name = Array(folder.appending(path: "imaging-test-XXXXXX").path.utf8CString)
        descriptor = mkstemp(&name)
        unlink(name)
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }

    deinit { close(descriptor) }

    var bytes: [UInt8] {
        let length = Int(lseek(descriptor, 0, SEEK_END))
        return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            count = max(0, pread(descriptor, buffer.baseAddress, length, 0))
        }
    }
}
