// SPDX-License-Identifier: Apache-2.0

package import ImageModel

/// What a decoder process is told when it starts, spelled as arguments after the command's own:
/// `--parent 4711 --address-space 4294967296 --file-size 268435456 --formats gif,jpeg,png`.
package struct DecoderStart: Sendable, Hashable {
    /// The daemon's process id: without it a decoder has nothing to live for.
    package var parent: Int32
    /// Bytes of address space a decoder may map; 0 = no limit.
    package var addressSpace: Int
    /// Bytes of the largest file a decoder may write.
    package var fileSize: Int
    /// What it reads.
    package var formats: Set<ImageFormat>

    package init(parent: Int32, addressSpace: Int, fileSize: Int, formats: Set<ImageFormat>) {
        self.parent = parent
        self.addressSpace = addressSpace
        self.fileSize = fileSize
        self.formats = formats
    }

    package var arguments: [String] {
        [
            "--parent", "\(parent)", "--address-space", "\(addressSpace)", "--file-size", "\(fileSize)",
            "--formats", formats.map(\.name).sorted().joined(separator: ","),
        ]
    }

    /// Nil: not what `arguments` makes.
    package init?(arguments: some Collection<String>) {
        let words = Array(arguments)
        guard words.count == 8, words[0] == "--parent", words[2] == "--address-space",
            words[4] == "--file-size", words[6] == "--formats",
            let parent = Int32(words[1]), parent > 0,
            let addressSpace = Int(words[3]), addressSpace >= 0,
            let fileSize = Int(words[5]), fileSize > 0
        else { return nil }
        let names = words[7].split(separator: ",")
        let formats = names.compactMap { ImageFormat(name: String($0)) }
        guard formats.count == names.count else { return nil }
        self.init(
            parent: parent, addressSpace: addressSpace, fileSize: fileSize, formats: Set(formats))
    }
}
