// SPDX-License-Identifier: Apache-2.0

import Kernel
@testable import Stores

extension PurgeRecord {
    /// Adds the marks, and returns once they are on disk.
    func add(_ new: [PurgeMarks.Mark]) throws(SystemError) {
        guard !new.isEmpty else { return }
        note(new)
        try settle()
    }
}
