// SPDX-License-Identifier: Apache-2.0

/// What the pool itself tells a decoder process when it starts, spelled as the last arguments: `--parent 4711`.
package struct DecoderStart: Sendable, Hashable {
    /// The daemon's process id: without it a decoder has nothing to live for.
    package var parent: Int32

    package init(parent: Int32) { self.parent = parent }

    package var arguments: [String] { ["--parent", "\(parent)"] }

    /// Nil: not what `arguments` makes.
    package init?(arguments: some Collection<String>) {
        let words = Array(arguments)
        guard words.count == 2, words[0] == "--parent", let parent = Int32(words[1]), parent > 0 else {
            return nil
        }
        self.init(parent: parent)
    }
}
