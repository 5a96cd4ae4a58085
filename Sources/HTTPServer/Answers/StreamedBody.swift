// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// A body that is made while it is sent, in pieces of any length.
///
/// The next piece is requested when the kernel has taken the previous one. So a client that reads slowly holds one piece and what the
/// kernel buffers (`HTTPServerConfiguration.streamBuffer`), and a client that stops reading is given up, as for every answer.
package struct StreamedBody: Sendable {
    /// True if the body has no end of its own, like a stream of events: then a drain ends it. A body with an end is sent to its end,
    /// as far as the drain's time allows.
    let isEndless: Bool
    /// Returns the next piece; nil if there are no more. Runs in a task that is cancelled when the client leaves; not called again
    /// before it has returned.
    let next: @Sendable () async -> ImmutableBytes?

    /// - Parameter next: makes the pieces.
    package init(isEndless: Bool, next: @escaping @Sendable () async -> ImmutableBytes?) {
        self.isEndless = isEndless
        self.next = next
    }
}
