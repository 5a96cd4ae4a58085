// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Foundation
internal import Glibc
package import ImageHeaders

/// A file to render, or standard input, and the place of its result below the output folder.
package struct RenderInput: Sendable, Hashable {
    /// The path of the input; `-` for standard input. What is found in a folder has the folder's path in front.
    package var path: String
    /// Folders below the output folder.
    package var folders: [String] = []
    /// The name of the input file.
    package var name: String

    /// True for standard input.
    var isStandard: Bool { path == StandardStreams.name }

    /// The files that the command names, and those in the folders that it names.
    package struct Listing: Sendable {
        /// The files in alphabetical order, folder by folder.
        package var inputs: [RenderInput] = []
        /// The number of links in folders; they are not followed.
        package var links = 0
        /// Folders that cannot be read or are nested too deeply.
        package var unreadable: [String] = []
    }

    /// The greatest depth of nested folders; a deeper one is a mistake.
    private static let deepest = 64

    /// - Parameter output: the output folder, which is left out because its files are results.
    package static func list(_ paths: [String], without output: String) -> Listing {
        var listing = Listing()
        let output = realPath(output)
        for path in paths {
            let input = RenderInput(path: path, name: (path as NSString).lastPathComponent)
            if isFolder(path) {
                walk(input, below: [], without: output, into: &listing)
            } else {
                listing.inputs.append(input)
            }
        }
        return listing
    }

    /// True if both paths lead to the same existing file or folder.
    package static func areSame(_ a: String, _ b: String) -> Bool {
        realPath(a).map { $0 == realPath(b) } ?? false
    }

    /// True for a folder, or for a link to one; false for standard input or output.
    package static func isFolder(_ path: String) -> Bool {
        path != StandardStreams.name && kind(path, followingLinks: true) == S_IFDIR
    }

    private static func walk(
        _ folder: RenderInput, below folders: [String], without output: String?, into listing: inout Listing
    ) {
        if let output, realPath(folder.path) == output { return }
        guard folders.count < deepest,
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        else {
            listing.unreadable.append(folder.path)
            return
        }
        for name in names.sorted() where !name.hasPrefix(".") {
            let input = RenderInput(path: "\(folder.path)/\(name)", folders: folders, name: name)
            switch kind(input.path, followingLinks: false) {
            case S_IFDIR: walk(input, below: folders + [name], without: output, into: &listing)
            // Nil: it cannot be looked at, because its name is not UTF-8 or it has just vanished. Reading it tells that.
            case S_IFREG, nil: listing.inputs.append(input)
            case S_IFLNK: listing.links += 1
            default: continue
            }
        }
    }

    private static func kind(_ path: String, followingLinks: Bool) -> mode_t? {
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        return status.st_mode & S_IFMT
    }

    private static func realPath(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    /// The result's name in that format: the input's name if its extension fits already, otherwise with another extension.
    package func name(as format: ImageFormat) -> String {
        if Self.usual(ending: (name as NSString).pathExtension) == format.fileExtension { return name }
        return ((name as NSString).deletingPathExtension) + ".\(format.fileExtension)"
    }

    /// The extension in the spelling that Pictor uses.
    static func usual(ending: String) -> String {
        let ending = ending.lowercased()
        return ["jpeg": "jpg", "tif": "tiff"][ending] ?? ending
    }
}
