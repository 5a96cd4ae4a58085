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

/// The playground at the public listener: static files, the option table as JSON, and the canonical recipe of a
/// query. Pictures come from `/img`, under the rules for everybody.
///
/// **Isolation:** immutable.
package struct Playground: Sendable {
    /// The page's path.
    package static let path = "/playground"
    private let site: WebSite
    private let dialects: Dialects

    /// Makes the files that depend on the settings.
    package init(dialects: Dialects, signatures: SignatureRule, version: String) {
        var site = WebSite("playground", at: Self.path)
        for sample in Sample.all { site.add("samples/\(sample.name)", sample.bytes.buffer) }
        for thumbnail in Sample.thumbnails { site.add("thumbs/\(thumbnail.name)", thumbnail.bytes.buffer) }
        let options = PlaygroundOptions(dialects: dialects, signatures: signatures, version: version)
        site.add("options.json", ControlJSON.text(options).utf8)
        self.site = site
        self.dialects = dialects
    }

    /// The answer to a request that no dialect reads; nil if it is not meant for the playground either.
    func response(to request: Request, at target: RequestTarget) -> Response? {
        let isFile = site.holds(target.path)
        let isRoot = target.path == "/" || target.path == Self.path + "/"
        let isRecipe = target.path == Self.path + "/recipe"
        guard isFile || isRoot || isRecipe else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else {
            return ErrorResponse.methodNotAllowed.response()
        }
        if isRoot { return Self.redirect }
        return isRecipe ? recipe(target) : site.response(to: request, path: target.path)
    }

    /// 302, for as long as the setting holds.
    private static var redirect: Response {
        var fields = Fields()
        fields.append("Location", path)
        fields.append("Cache-Control", "no-store")
        return Response(status: 302, fields: fields)
    }

    /// The canonical recipe of a query in the native dialect, or the refusal that `/img` would give.
    private func recipe(_ target: RequestTarget) -> Response {
        do throws(Refusal) {
            let asked = try dialects[.native].read(
                RequestTarget(path: NativeDialect.path, query: target.query ?? []))
            return .json(["recipe": asked.recipe.canonical, "source": asked.source.absolute])
        } catch {
            return error.response
        }
    }
}
