// SPDX-License-Identifier: Apache-2.0

internal import Answers

/// The parts of the grammar in which the two services differ.
package struct OperationGrammar: Sendable {
    /// True if `debug/` is known.
    var hasDebug = false
    /// True if a side may be `orig`.
    var hasOriginalSides = false
    /// True if `stretch/` is known.
    var hasStretch = false
    /// True if `GxH:IxJ/` may follow the box.
    var hasPadding = false
    /// True if corners may be fractions of the picture's sides.
    var hasFractions = false
    /// True if a corner of 0 at the right or at the bottom means the picture's edge; if false, the rectangle is empty and nothing is
    /// cut.
    var cutsToEdges = false
    /// True if `fill` also fills up to the box around a picture that is cut to it but is too small and may not be enlarged; if false,
    /// the box shrinks.
    var fillsCuts = false
    /// True if a WebP of quality 100 is lossless.
    var isLosslessAtBest = false
    /// True if slashes before the signature are skipped.
    var skipsSlashes = false
    /// Returns the meaning of a URL as JSON, if `params/` before its signature asks for it; nil for a service without `params/`.
    var meaning: (@Sendable (_ rest: ArraySlice<UInt8>) -> String?)?
    /// The words of the description that `meta` asks for.
    var report = ReportWords.native
    /// The filters by name.
    var filters: [String: FilterRule]

    /// The filters that a refusal lists.
    var known: [String] {
        filters.filter { if case .refused = $0.value { false } else { true } }.map(\.key).sorted()
    }
}

/// How a filter is handled.
enum FilterRule: Sendable {
    case makes(@Sendable (_ draft: inout RecipeDraft, _ call: FilterCall) throws(OperationRefusal) -> Void)
    /// The filter has no effect in Pictor and is ignored.
    case passes
    /// Pictor has no counterpart; the sentence says why, or what to use.
    case refused(String)
}

/// How filters are handled that Pictor does not support; a setting.
package enum UnsupportedFilterRule: String, Sendable, CaseIterable {
    /// A URL with such a filter is refused with a 400.
    case refuse
    /// Names and arguments that the service itself does not know are ignored, as the service does.
    case ignoreUnknown = "ignore-unknown"
    /// Filters of the service that Pictor does not support are ignored too.
    case ignore
}
