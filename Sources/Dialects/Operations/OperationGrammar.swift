// SPDX-License-Identifier: Apache-2.0

internal import Answers

/// The grammar of one service's URLs, where the services differ.
package struct OperationGrammar: Sendable {
    /// `debug/`.
    var hasDebug = false
    /// `orig` for a side.
    var hasOriginalSides = false
    /// `stretch/`.
    var hasStretch = false
    /// `GxH:IxJ/` behind the box.
    var hasPadding = false
    /// Corners may be fractions of the picture's sides.
    var hasFractions = false
    /// A corner of 0 at the right or at the bottom is the picture's edge; else nothing lies before it, and nothing is cut.
    var cutsToEdges = false
    /// `fill` reaches to the box also around what is cut to it, where that is too small and may not grow; else the box shrinks.
    var fillsCuts = false
    /// A WebP of quality 100 is lossless.
    var isLosslessAtBest = false
    /// The meaning of a URL, as JSON, where `params/` before its signature asks for that; nil for a service without it.
    var meaning: (@Sendable (_ rest: ArraySlice<UInt8>) -> String?)?
    /// What `meta` tells.
    var report = ReportWords.native
    /// By name.
    var filters: [String: FilterRule]

    /// The filters that a refusal lists.
    var known: [String] {
        filters.filter { if case .refused = $0.value { false } else { true } }.map(\.key).sorted()
    }
}

/// The rule for a filter.
enum FilterRule: Sendable {
    case makes(@Sendable (_ draft: inout RecipeDraft, _ call: FilterCall) throws(OperationRefusal) -> Void)
    /// The filter changes nothing here.
    case passes
    /// Nothing here is like it; the sentence says why, or what is.
    case refused(String)
}

/// The rule for filters that are not made: a setting.
package enum UnsupportedFilterRule: String, Sendable, CaseIterable {
    /// A URL with one of them is a 400.
    case refuse
    /// Names and arguments that the service itself would not know are passed over, as it does.
    case ignoreUnknown = "ignore-unknown"
    /// Ignores filters that Pictor does not make as well.
    case ignore
}
