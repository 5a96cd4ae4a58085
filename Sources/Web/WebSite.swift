// SPDX-License-Identifier: Apache-2.0

package import HTTP1
package import HTTPServer
internal import Kernel

/// The static files of one page: its own files and the files that all pages share.
///
/// **Isolation:** immutable.
package struct WebSite: Sendable {
    /// The path of the page, such as `/playground`; its other files have paths below it.
    package let path: String
    private var pages: [String: WebPage] = [:]

    /// Takes the embedded files of `folder` and of `shared`; `index.html` is answered at `path` itself.
    package init(_ folder: String, at path: String) {
        self.path = path
        for file in EmbeddedFile.all(in: "shared/") + EmbeddedFile.all(in: "\(folder)/") {
            let place = file.name == "index.html" ? path : "\(path)/\(file.name)"
            pages[place] = WebPage(name: file.name, bytes: file.bytes)
        }
    }

    /// Adds a file whose bytes are made at the start of the daemon. Its media type follows from the extension of `name`.
    package mutating func add(_ name: String, _ bytes: some Collection<UInt8>) {
        pages["\(path)/\(name)"] = WebPage(name: name, bytes: ImmutableBytes(bytes))
    }

    /// Every file's path, in alphabetical order.
    package var paths: [String] { pages.keys.sorted() }

    /// True if there is a file at this path.
    package func holds(_ path: String) -> Bool { pages[path] != nil }

    /// The answer to a GET or HEAD of this path; nil if there is no such file.
    package func response(to request: Request, path: String) -> Response? {
        pages[path]?.response(to: request)
    }
}
