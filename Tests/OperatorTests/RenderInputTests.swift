// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import ImageHeaders
@testable import Operator
import TestSupport
import Testing

@Suite("What `pictor render` is given becomes a list of files")
struct RenderInputTests {
    private let folder = TemporaryFolder()

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Makes files and the folders that contain them.
    private func make(_ names: String...) throws {
        for name in names {
            let url = URL(filePath: path(name))
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: url)
        }
    }

    private func link(_ name: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
    }

    private func list(_ paths: [String], without output: String = "/nowhere") -> RenderInput.Listing {
        RenderInput.list(paths, without: output)
    }

    /// The output paths below the output folder.
    private func places(_ listing: RenderInput.Listing) -> [String] {
        listing.inputs.map { ($0.folders + [$0.name]).joined(separator: "/") }
    }

    @Test func `files keep the order in which they are named, also those that are not there`() throws {
        try make("b.png", "a.png")
        let listing = list([path("b.png"), path("none.png"), path("a.png")])
        #expect(places(listing) == ["b.png", "none.png", "a.png"])
        #expect(listing.inputs.map(\.path) == ["b.png", "none.png", "a.png"].map(path))
        #expect(listing.links == 0 && listing.unreadable.isEmpty)
    }

    @Test func `a folder is walked in the order of names, and its tree is kept`() throws {
        try make("in/z.png", "in/b/2.png", "in/b/c/3.png", "in/a.png")
        let listing = list([path("in")])
        #expect(places(listing) == ["a.png", "b/2.png", "b/c/3.png", "z.png"])
        #expect(listing.inputs.map(\.path).contains(path("in/b/c/3.png")))
    }

    @Test func `a file whose name is not UTF-8 is listed, so that its failure is told`() throws {
        try make("in/b.png")
        let name: [CChar] = Array(path("in/a").utf8CString.dropLast()) + [-1, 0]
        let file = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        defer {
            close(file)
            unlink(name)
        }
        #expect(places(list([path("in")])) == ["a\u{FFFD}", "b.png"])
    }

    @Test func `hidden files are left out, and links in folders are counted and not followed`() throws {
        try make("in/a.png", "in/.hidden.png", "in/.git/b.png", "else/c.png")
        try link("in/file.png", to: path("else/c.png"))
        try link("in/folder", to: path("else"))
        try link("in/itself", to: ".")
        let listing = list([path("in")])
        #expect(places(listing) == ["a.png"])
        #expect(listing.links == 3)
    }

    @Test func `a link that is named is followed, be it a file's or a folder's`() throws {
        try make("in/a.png")
        try link("file.png", to: "in/a.png")
        try link("folder", to: "in")
        #expect(places(list([path("file.png"), path("folder")])) == ["file.png", "a.png"])
        #expect(RenderInput.isFolder(path("folder")) && !RenderInput.isFolder(path("file.png")))
        #expect(!RenderInput.isFolder(path("none")))
    }

    @Test func `what is neither file nor folder is left out of a folder`() throws {
        try make("in/a.png")
        try #require(mkfifo(path("in/pipe"), 0o600) == 0)
        let listing = list([path("in")])
        #expect(places(listing) == ["a.png"] && listing.links == 0)
    }

    @Test func `the output folder is left out, however it is named`() throws {
        try make("in/a.png", "in/out/b.png", "in/outer/c.png")
        try link("way", to: "in/out")
        for output in ["in/out", "in/out/", "in/../in/out", "way"] {
            #expect(places(list([path("in")], without: path(output))) == ["a.png", "outer/c.png"])
        }
        #expect(places(list([path("in")], without: path("absent"))).count == 3)
    }

    @Test func `folders in one another end at 64, and the deepest is told`() throws {
        let levels = (1...70).map { _ in "d" }
        try make("in/" + levels.joined(separator: "/") + "/deep.png", "in/a.png")
        let listing = list([path("in")])
        #expect(places(listing) == ["a.png"])
        #expect(listing.unreadable == [path("in/" + levels.prefix(64).joined(separator: "/"))])
    }

    @Test(
        arguments: [
            ("a.jpg", ImageFormat.jpeg, "a.jpg"), ("a.JPEG", .jpeg, "a.JPEG"), ("a.png", .webp, "a.webp"),
            ("a.tif", .tiff, "a.tif"), ("a", .png, "a.png"), ("a.b.png", .jpeg, "a.b.jpg"),
            ("photo.jpeg.png", .jpeg, "photo.jpeg.jpg"), ("v1.2", .png, "v1.png"),
        ])
    func `a picture's name says its format`(name: String, format: ImageFormat, expected: String) {
        #expect(RenderInput(path: "/x/\(name)", name: name).name(as: format) == expected)
    }
}
