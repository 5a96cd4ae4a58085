// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Foundation
import Settings
import TestSupport
import Testing

@Suite("Fonts are looked for before a text asks for them")
struct InstalledFontsTests {
    @Test func `a font is found in whatever folder`() throws {
        let folder = TemporaryFolder()
        #expect(!InstalledFonts.hasFont(folder.path, depth: 8))
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/truetype/a", withIntermediateDirectories: true)
        try Data().write(to: URL(filePath: "\(folder.path)/truetype/fonts.dir"))
        #expect(!InstalledFonts.hasFont(folder.path, depth: 8))
        try Data().write(to: URL(filePath: "\(folder.path)/truetype/a/A.TTF"))
        #expect(InstalledFonts.hasFont(folder.path, depth: 8))
        #expect(!InstalledFonts.hasFont(folder.path, depth: 2))
        #expect(!InstalledFonts.hasFont("\(folder.path)/none", depth: 8))
    }

    @Test func `who writes no text needs none`() {
        #expect(InstalledFonts.mistake(in: Settings()) == nil)
    }

    @Test func `a reload takes no family for the next start that could not write it`() throws {
        let folder = TemporaryFolder()
        var settings = Settings()
        try Reloader.mustStart(settings, fonts: [folder.path])
        settings.decoder.fonts = ["sans"]
        let mistake = #expect(throws: UnusableSetting.self) {
            try Reloader.mustStart(settings, fonts: [folder.path])
        }
        #expect(mistake?.description.contains("decoder.fonts") == true)
    }
}
