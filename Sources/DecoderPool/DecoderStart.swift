// SPDX-License-Identifier: Apache-2.0

/// What a decoder process is told when it starts, spelled as arguments after the command's own:
/// `--parent 4711 --address-space 4294967296 --file-size 268435456 --jxl 0`.
package struct DecoderStart: Sendable, Hashable {
    /// The daemon's process id: without it a decoder has nothing to live for.
    package var parent: Int32
    /// Bytes of address space a decoder may map; 0 = no limit.
    package var addressSpace: Int
    /// Bytes of the largest file a decoder may write.
    package var fileSize: Int
    /// It is to write JPEG XL.
    package var writesJXL: Bool

    package init(parent: Int32, addressSpace: Int, fileSize: Int, writesJXL: Bool = false) {
        self.parent = parent
        self.addressSpace = addressSpace
        self.fileSize = fileSize
        self.writesJXL = writesJXL
    }

    package var arguments: [String] {
        [
            "--parent", "\(parent)", "--address-space", "\(addressSpace)", "--file-size", "\(fileSize)",
            "--jxl",
            writesJXL ? "1" : "0",
        ]
    }

    /// How many arguments there are.
    package static let words = 8

    /// Nil: not what `arguments` makes.
    package init?(arguments: some Collection<String>) {
        let words = Array(arguments)
        guard words.count == Self.words, words[0] == "--parent", words[2] == "--address-space",
            words[4] == "--file-size", words[6] == "--jxl", ["0", "1"].contains(words[7]),
            let parent = Int32(words[1]), parent > 0,
            let addressSpace = Int(words[3]), addressSpace >= 0,
            let fileSize = Int(words[5]), fileSize > 0
        else { return nil }
        self.init(
            parent: parent, addressSpace: addressSpace, fileSize: fileSize, writesJXL: words[7] == "1")
    }
}
