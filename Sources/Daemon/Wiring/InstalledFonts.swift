// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Settings

/// The fonts of this machine.
enum InstalledFonts {
    /// The folders in which decoders look for fonts.
    static let folders = ["/usr/share/fonts", "/usr/local/share/fonts"]

    /// The mistake in `decoder.fonts`; nil if there is none.
    static func mistake(in settings: Settings, _ folders: [String] = folders) -> String? {
        guard !settings.decoder.fonts.isEmpty, !folders.contains(where: { hasFont($0, depth: 8) }) else {
            return nil
        }
        return "decoder.fonts: there is no font in \(folders.joined(separator: " or ")): "
            + "install a package of fonts, as fonts-dejavu-core"
    }

    /// Throws if texts are enabled but cannot be drawn.
    static func check(_ settings: Settings, in folders: [String] = folders) throws(UnusableSetting) {
        if let words = mistake(in: settings, folders) { throw UnusableSetting(description: words) }
    }

    static func hasFont(_ folder: String, depth: Int) -> Bool {
        guard depth > 0, let listing = opendir(folder) else { return false }
        defer { closedir(listing) }
        while let entry = readdir(listing) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != ".", name != ".." else { continue }
            if [".ttf", ".otf", ".ttc", ".otc", ".pfb"].contains(where: name.lowercased().hasSuffix) {
                return true
            }
            if hasFont("\(folder)/\(name)", depth: depth - 1) { return true }
        }
        return false
    }
}
