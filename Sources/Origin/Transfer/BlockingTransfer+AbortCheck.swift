// SPDX-License-Identifier: Apache-2.0

extension BlockingTransfer {
    /// Tells libcurl when to end a request: because the caller does not need it any more, or the server is silent.
    final class AbortCheck {
        private let isOver: @Sendable () -> Bool
        /// The most microseconds in which no byte of either body moves; nil for no limit.
        private var patience: Ticks?
        /// The number of bytes moved of both bodies, and when it last changed.
        private var moved: (bytes: Int, at: Ticks) = (0, 0)
        private(set) var isSilent = false

        init(_ isOver: @escaping @Sendable () -> Bool) { self.isOver = isOver }

        func begin(patience: Ticks?, at now: Ticks) {
            (self.patience, moved, isSilent) = (patience, (0, now), false)
        }

        func ends(after bytes: Int, at now: Ticks) -> Bool {
            if bytes != moved.bytes { moved = (bytes, now) }
            if let patience, now - moved.at >= patience { isSilent = true }
            return isSilent || isOver()
        }
    }
}
