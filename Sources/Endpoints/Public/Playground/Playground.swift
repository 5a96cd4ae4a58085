// SPDX-License-Identifier: Apache-2.0

internal import Answers
package import Dialects
internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Kernel
internal import RequestGrammar
package import Signatures
internal import SourceURLs
internal import Web

/// The playground at the public listener: static files, the option table as JSON, and the canonical recipe of a query. Pictures come
/// from `/img`, under the same rules as for all clients.
///
/// **Isolation:** immutable.
package struct Playground: Sendable {
    /// The page's path.
    package static let path = "/playground"
    private let site: WebSite
    private let dialects: Dialects
    private let signatures: SignatureRule
    private let token: AdminToken?

    /// Makes the files that depend on the settings.
    package init(dialects: Dialects, signatures: SignatureRule, token: AdminToken?, version: String) {
        var site = WebSite("playground", at: Self.path)
        for sample in Sample.all { site.add("samples/\(sample.name)", sample.bytes.buffer) }
        for thumbnail in Sample.thumbnails { site.add("thumbs/\(thumbnail.name)", thumbnail.bytes.buffer) }
        let options = PlaygroundOptions(dialects: dialects, signatures: signatures, version: version)
        site.add("options.json", ControlJSON.text(options).utf8)
        self.site = site
        self.dialects = dialects
        self.signatures = signatures
        self.token = token
    }

    /// The answer to a request that no dialect reads; nil if the path is none of the playground's either.
    func response(to request: Request, at target: RequestTarget) -> Response? {
        let isFile = site.holds(target.path)
        let isRoot = target.path == "/" || target.path == Self.path + "/"
        let isRecipe = target.path == Self.path + "/recipe"
        let isSigning = target.path == Self.path + "/sign"
        guard isFile || isRoot || isRecipe || isSigning else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else {
            return ErrorResponse.methodNotAllowed.response()
        }
        if isRoot { return .lead(to: Self.path) }
        if isSigning { return sign(target, for: request) }
        return isRecipe ? recipe(target) : site.response(to: request, path: target.path)
    }

    /// The signed target of a query, only for clients with the admin token.
    private func sign(_ target: RequestTarget, for request: Request) -> Response {
        guard let token, token.isCarried(by: request.fields) else {
            return ErrorResponse(.unauthorized, "The token is missing or wrong.").response()
        }
        let query = target.query ?? []
        do throws(Refusal) {
            _ = try dialects[.native].read(RequestTarget(path: NativeDialect.path, query: query))
        } catch {
            return error.response
        }
        guard let url = signatures.sign(CanonicalQuery(query), path: NativeDialect.path) else {
            return ErrorResponse(.notFound, "No key signs here (signatures.keys).").response()
        }
        return .json(["url": url])
    }

    /// The canonical recipe of a query in the native dialect, or the refusal that `/img` would give.
    private func recipe(_ target: RequestTarget) -> Response {
        do throws(Refusal) {
            let asked = try dialects.read(
                RequestTarget(path: NativeDialect.path, query: target.query ?? []), by: dialects[.native])
            return .json([
                "recipe": asked.told(asked.recipe).canonical, "source": asked.toldSource.absolute,
            ])
        } catch {
            return error.response
        }
    }
}
