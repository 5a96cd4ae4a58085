// SPDX-License-Identifier: Apache-2.0

/// How tightly a decoder process is held.
package struct JailPolicy: Sendable, Hashable {
    /// Bytes of address space, code and stacks included; 0 = no limit.
    package var addressSpace: Int
    /// Bytes of the largest file that can be written.
    package var fileSize: Int
    /// Descriptors at a time: 4 of our own, 2 of the job, and what the engine opens while it starts.
    package var openFiles = 64
    /// Above the daemon's own: cache hits come before new pictures.
    package var niceness: Int32 = 5
    /// Of 1,000: who goes first when memory runs out (proc(5), oom_score_adj).
    package var oomScore = 500
    /// This descriptor and all above it are closed.
    package var firstClosedDescriptor: UInt32

    package init(addressSpace: Int, fileSize: Int, firstClosedDescriptor: UInt32) {
        self.addressSpace = addressSpace
        self.fileSize = fileSize
        self.firstClosedDescriptor = firstClosedDescriptor
    }
}

/// What came of it, by name.
package struct JailReport: Sendable, Hashable {
    package var holds: [String] = []
    /// What the kernel refused.
    package var missing: [String] = []
}
