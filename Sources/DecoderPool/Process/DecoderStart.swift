// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The pool's own settings for a decoder process, spelled as its last arguments:
/// `--parent 4711 --formats gif,jpeg,png --writes jxl --jpeg-lane on`.
package struct DecoderStart: Sendable, Hashable {
    /// The daemon's process id; the decoder ends with the daemon.
    package var parent: Int32
    /// The formats that the decoder reads.
    package var formats: Set<ImageFormat>
    /// Formats that the decoder writes besides the usual ones.
    package var writes: Set<ImageFormat>
    /// Whether Pictor's own decoder reduces usual JPEGs.
    package var jpegLane: Bool

    /// - Parameter parent: the daemon's process id, greater than 0.
    package init(
        parent: Int32, formats: Set<ImageFormat>, writes: Set<ImageFormat> = [], jpegLane: Bool = true
    ) {
        self.parent = parent
        self.formats = formats
        self.writes = writes
        self.jpegLane = jpegLane
    }

    /// The number of arguments.
    package static let words = 8

    /// The arguments that `init(arguments:)` parses; formats are sorted by name.
    package var arguments: [String] {
        [
            "--parent", "\(parent)", "--formats", Self.list(formats), "--writes", Self.list(writes),
            "--jpeg-lane", jpegLane ? "on" : "off",
        ]
    }

    /// Nil for arguments that `arguments` does not make.
    package init?(arguments: some Collection<String>) {
        let words = Array(arguments)
        guard words.count == Self.words, words[0] == "--parent", let parent = Int32(words[1]), parent > 0,
            words[2] == "--formats", words[4] == "--writes", words[6] == "--jpeg-lane",
            ["on", "off"].contains(words[7]), let formats = Self.formats(words[3]),
            let writes = Self.formats(words[5])
        else { return nil }
        self.init(parent: parent, formats: formats, writes: writes, jpegLane: words[7] == "on")
    }

    private static func list(_ formats: Set<ImageFormat>) -> String {
        formats.map(\.name).sorted().joined(separator: ",")
    }

    private static func formats(_ list: String) -> Set<ImageFormat>? {
        let names = list.split(separator: ",")
        let formats = names.compactMap { ImageFormat(name: String($0)) }
        return formats.count == names.count ? Set(formats) : nil
    }
}
