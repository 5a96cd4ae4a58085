// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// A body that is made while it is sent, in pieces of any length.
///
/// The next piece is asked for when the kernel has taken the one before. So a client that reads slowly holds one piece
/// and what the kernel buffers (`HTTPServerConfiguration.streamBuffer`), and one that stops reading is given up as with
/// every answer.
package struct StreamedBody: Sendable {
    /// Whether it has no end of its own, as events have none: then the server ends it when it drains. One that has an
    /// end is sent to it, as far as the drain's time allows.
    let isEndless: Bool
    /// The next piece; nil: there are no more. In a task that is cancelled when the client leaves; never asked again
    /// before it has returned.
    let next: @Sendable () async -> ImmutableBytes?

    /// Takes what makes the pieces.
    package init(isEndless: Bool, next: @escaping @Sendable () async -> ImmutableBytes?) {
        self.isEndless = isEndless
        self.next = next
    }
}
