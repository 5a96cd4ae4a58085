// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Kernel

/// Where pictures go.
package enum RenderOutput: Sendable {
    /// Files in a folder, whose names are derived from the inputs'.
    case folder(OutputFolder)
    /// One file in a folder.
    case file(OutputFolder, name: String)
    /// Standard output, which takes one picture.
    case standard

    /// The ending of the only picture's name; nil if the name claims no format, or is not known yet.
    var ending: OutputEnding? {
        if case .file(_, let name) = self { OutputEnding(of: name) } else { nil }
    }

    /// Writes the picture of an input.
    /// - Returns: its path below the output folder.
    func write(
        _ body: Body, as format: ImageFormat, of input: RenderInput
    ) throws(OutputFolder.Failure) -> String {
        switch self {
        case .folder(let folder):
            let name = input.name(as: format)
            try folder.write(body, to: input.folders, name)
            return (input.folders + [name]).joined(separator: "/")
        case .file(let folder, let name):
            try folder.write(body, to: [], name)
            return name
        case .standard:
            do throws(SystemError) { try StandardStreams.write(body) } catch { throw .unwritable(error) }
            return StandardStreams.name
        }
    }
}
