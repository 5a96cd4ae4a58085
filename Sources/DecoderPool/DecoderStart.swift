// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// What the pool itself tells a decoder process when it starts, spelled as the last arguments:
/// `--parent 4711 --formats gif,jpeg,png --jpeg-lane on`.
package struct DecoderStart: Sendable, Hashable {
    /// The daemon's process id: without it a decoder has nothing to live for.
    package var parent: Int32
    /// Formats that the decoder reads.
    package var formats: Set<ImageFormat>
    /// Whether usual JPEGs are made smaller by Pictor's own decoder.
    package var jpegLane: Bool

    /// - Parameter parent: process id of the daemon, greater than 0.
    package init(parent: Int32, formats: Set<ImageFormat>, jpegLane: Bool = true) {
        self.parent = parent
        self.formats = formats
        self.jpegLane = jpegLane
    }

    /// How many arguments there are.
    package static let words = 6

    /// The arguments that `init(arguments:)` reads back; formats are sorted by name.
    package var arguments: [String] {
        [
            "--parent", "\(parent)", "--formats", formats.map(\.name).sorted().joined(separator: ","),
            "--jpeg-lane", jpegLane ? "on" : "off",
        ]
    }

    /// Nil if the words are not ones that `arguments` makes.
    package init?(arguments: some Collection<String>) {
        let words = Array(arguments)
        guard words.count == Self.words, words[0] == "--parent", let parent = Int32(words[1]), parent > 0,
            words[2] == "--formats", words[4] == "--jpeg-lane", ["on", "off"].contains(words[5])
        else { return nil }
        let names = words[3].split(separator: ",")
        let formats = names.compactMap { ImageFormat(name: String($0)) }
        guard formats.count == names.count else { return nil }
        self.init(parent: parent, formats: Set(formats), jpegLane: words[5] == "on")
    }
}
