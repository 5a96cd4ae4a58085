// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import SourceURLs
internal import Traces

/// The fields that the origin of one hop gets: those of every request, those of its profile, those of the client that the profile
/// passes on, and a store's signature. Made anew for each hop, so that a reload counts from the next one on.
struct HopFields {
    /// How the hop's origin is asked; nil for the usual way.
    let profile: OriginProfile?
    /// The profile of the URL that was asked for, by the rules of this hop; nil for none.
    private let first: OriginProfile?
    private let request: Download
    private let url: SourceURL
    private let store: NamedStore?
    private let configuration: OriginConfiguration

    /// - Parameter store: the one that is asked; nil for the web.
    init(
        _ request: Download, to url: SourceURL, at store: NamedStore?, by configuration: OriginConfiguration
    ) {
        (self.request, self.url, self.store, self.configuration) = (request, url, store, configuration)
        first = configuration.profile(for: request.url)
        let hasNone = request.purpose == .proxyConnection || store != nil
        profile = hasNone ? nil : configuration.profile(for: url)
    }

    /// In place of what the hop's origin says of keeping its answer; nil for its own words. A store's answers go by the profile for
    /// the object's own name.
    var rule: CacheControlRule? { (store == nil ? profile : first)?.rule }

    /// False if a field of the client is in the key, and the rules of by now do not pass it: the answer would be kept as what
    /// came for that field.
    var passesAll: Bool {
        let fields = request.clientFields
        return fields.among(first?.passed ?? []).count == fields.list.count
    }

    /// The lines of the request.
    /// - Parameters:
    ///   - conditions: of this hop.
    ///   - cookies: that earlier hops have set.
    ///   - plain: gives the lines of a request that has these fields and no others.
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
        // A profile that keeps cookies passes none of a client's, and sets none itself.
        if profile?.keepsCookies == true, let field = cookies.field(for: url) { passed.append(field) }
        fields.replace(by: passed)
        let own = conditions + mark
        guard !own.isEmpty || trace != nil || !signature.isEmpty || !passed.isEmpty else {
            return plain(fields)
        }
        return FieldLines(fields, own, trace: trace)
    }

    /// The mark of the URL that was asked for, on each hop of the web: any of them may lead back here.
    private var mark: [Fields.Field] {
        guard configuration.marksLoops, store == nil, request.purpose == .picture else { return [] }
        return [Fields.Field(LoopMark.field, LoopMark.text(for: request.url))]
    }

    /// The client's fields for this hop's origin: none where another profile counts than for the URL that was asked
    /// for, so that no redirect takes it elsewhere.
    private var passed: [Fields.Field] {
        guard let profile, profile == first else { return [] }
        return request.clientFields.among(profile.passed)
    }

    /// For this hop's host, if it is one that is told.
    private var trace: TracePlace? {
        configuration.tracedHosts.contains { $0.matches(url.host) } ? request.trace : nil
    }
}
