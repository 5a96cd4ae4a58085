// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import SourceURLs
internal import Traces

/// The fields of one hop's request: those of every request, those of the profile, client fields that the profile passes on, and a
/// store's signature. They are made for each hop, so that a reload takes effect from the next hop on.
struct HopFields {
    /// The profile for the hop's URL; nil for none.
    let profile: OriginProfile?
    /// The profile for the URL of the original request, under this hop's configuration; nil for none.
    private let first: OriginProfile?
    private let request: Download
    private let url: SourceURL
    private let store: NamedStore?
    private let configuration: OriginConfiguration

    /// - Parameter store: the store that is asked; nil for the web.
    init(
        _ request: Download, to url: SourceURL, at store: NamedStore?, by configuration: OriginConfiguration
    ) {
        (self.request, self.url, self.store, self.configuration) = (request, url, store, configuration)
        first = configuration.profile(for: request.url)
        let hasNone = request.purpose == .proxyConnection || store != nil
        profile = hasNone ? nil : configuration.profile(for: url)
    }

    /// The rule that replaces the `Cache-Control` of the answer; nil to use the origin's own. For a store's answer, it is the rule
    /// of the profile for the object's own URL.
    var rule: CacheControlRule? { (store == nil ? profile : first)?.rule }

    /// False if a client field is in the key but the present configuration does not pass it on: the answer would be stored as if
    /// the field had been sent.
    var passesAll: Bool {
        let fields = request.clientFields
        return fields.among(first?.passed ?? []).count == fields.list.count
    }

    /// The lines of the request.
    /// - Parameters:
    ///   - conditions: the conditions of this hop.
    ///   - cookies: the cookies that earlier hops have set.
    ///   - plain: makes the lines of a request with these fields and no others.
    func lines(
        _ conditions: [Fields.Field], _ cookies: HopCookies, at now: @autoclosure () -> Timestamp,
        plain: (Fields) -> FieldLines
    ) -> FieldLines {
        var fields = request.fields ?? configuration.requestFields
        let signature =
            store?.fields(for: url, at: now(), conditions: conditions.filter(FieldLines.isSendable)) ?? []
        for field in signature { fields.append(field.name, field.value) }
        fields.replace(by: profile?.fields ?? [])
        var passed = passed
        // A profile that keeps cookies neither passes on a client's cookies nor sets any itself.
        if profile?.keepsCookies == true, let field = cookies.field(for: url) { passed.append(field) }
        fields.replace(by: passed)
        let own = conditions + mark
        guard !own.isEmpty || trace != nil || !signature.isEmpty || !passed.isEmpty else {
            return plain(fields)
        }
        return FieldLines(fields, own, trace: trace)
    }

    /// The loop mark of the original request's URL, sent with each hop on the web, because any hop may lead back to Pictor.
    private var mark: [Fields.Field] {
        guard configuration.marksLoops, store == nil, request.purpose == .picture else { return [] }
        return [Fields.Field(LoopMark.field, LoopMark.text(for: request.url))]
    }

    /// The client's fields for this hop's origin: empty if another profile applies than to the original request's URL, so that no
    /// redirect takes the fields elsewhere.
    private var passed: [Fields.Field] {
        guard let profile, profile == first else { return [] }
        return request.clientFields.among(profile.passed)
    }

    /// The trace, if it is passed on to this hop's host.
    private var trace: TracePlace? {
        configuration.tracedHosts.contains { $0.matches(url.host) } ? request.trace : nil
    }
}
