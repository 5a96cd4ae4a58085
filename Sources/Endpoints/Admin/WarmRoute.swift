// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Dialects
internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Pipeline
internal import Platform
internal import Recipes
internal import RequestGrammar
internal import Signatures

/// `POST /admin/warm`: makes pictures before they are asked for. `GET` tells the progress.
package struct WarmRoute: Sendable {
    /// The body of the order.
    private struct Order: Decodable {
        /// Requests in the native dialect, as `/img?url=…` or as whole URLs.
        var targets: [String]
        /// The `Accept` that the expected clients send; nil for none.
        var accept: String?
    }

    private let warmer: Warmer
    private let rules: PublicRules

    /// Takes the daemon's one warmer, and the rules of the public listener.
    package init(warmer: Warmer, rules: PublicRules) {
        self.warmer = warmer
        self.rules = rules
    }

    /// If one target is refused, the order is refused as a whole.
    package var routes: [AdminRoute] {
        [
            .post("/admin/warm") { request, _ in warm(request.body) },
            .get("/admin/warm") { [warmer] _, _ in .json(warmer.report) },
        ]
    }

    private func warm(_ body: [UInt8]) -> Response {
        guard let order = ControlJSON.read(Order.self, from: body), !order.targets.isEmpty else {
            return ErrorResponse(.badOrder, "The body must be {\"targets\":[…]}, and perhaps \"accept\".")
                .response()
        }
        do throws(Refusal) {
            var wishes: [(target: String, request: PipelineRequest)] = []
            let accept = AcceptClass(order.accept)
            for target in order.targets { wishes.append((target, try request(for: target, accept))) }
            guard warmer.start(wishes) else {
                return ErrorResponse(.busy, "Another warming is under way.", retryAfter: 10).response()
            }
            return .json(warmer.report, status: 202)
        } catch {
            return error.response
        }
    }

    private func request(for text: String, _ accept: AcceptClass) throws(Refusal) -> PipelineRequest {
        let native = rules.dialects[.native]
        guard var target = try? RequestTarget(text.utf8), native.holds(target) else {
            throw Refusal(ErrorResponse(.badOrder, "\"\(text.prefix(200))\" is no request of /img."))
        }
        // A wrong signature is refused as everywhere; a missing one is accepted, because whoever gives orders is trusted.
        do throws(SignatureFailure) {
            target = try native.admit(target, rules.signatures, now: SystemEnvironment.now()).target
        } catch {
            guard case .missing = error else {
                throw Refusal(native.refusal(for: error, of: target, rules.signatures))
            }
        }
        let asked = try rules.dialects.read(target, by: native)
        guard asked.recipe.output.isMade else {
            throw Refusal(
                ErrorResponse(.badOrder, "output=json and output=raw make no picture that could be kept."))
        }
        var request = native.question(asked, accept)
        request.priority = .prefetch
        request.isVouchedFor = true
        return request
    }
}
