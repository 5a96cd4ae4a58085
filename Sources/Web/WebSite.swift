// SPDX-License-Identifier: Apache-2.0

package import HTTP1
package import HTTPServer
internal import Kernel

/// The static files of one page: its own, and those that pages share.
///
/// **Isolation:** immutable.
package struct WebSite: Sendable {
    /// Where the page is, as `/playground`; its other files are below it.
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

    /// Adds a file that is made at the start; `name` has the ending of its type.
    package mutating func add(_ name: String, _ bytes: some Collection<UInt8>) {
        pages["\(path)/\(name)"] = WebPage(name: name, bytes: ImmutableBytes(bytes))
    }

    /// Every file's path, in the order of the alphabet.
    package var paths: [String] { pages.keys.sorted() }

    /// True if there is a file at that path.
    package func holds(_ path: String) -> Bool { pages[path] != nil }

    /// The answer to a GET or HEAD of that path; nil if there is no such file.
    package func response(to request: Request, path: String) -> Response? {
        pages[path]?.response(to: request)
    }
}
