// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// The age of a response on arrival (RFC 9111 §4.2.3).
struct ResponseAge {
    let responseTime: Timestamp
    /// `date_value`: `Date`, or the time of arrival if `Date` is missing or unreadable (RFC 9110 §6.6.1).
    let date: Timestamp
    /// `corrected_initial_age` in seconds, by the conservative of the two rules. A `Date` in the future counts as now, a `Date` from
    /// a clock that has not been set is ignored, and a clock set back during the exchange adds no delay.
    let initialAge: Int32

    init(_ fields: Fields, by transit: Transit) {
        let responseTime = transit.responseTime
        self.responseTime = responseTime
        date = fields["Date"].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
        let apparentAge = date.isOfSetClock ? max(responseTime.seconds - date.seconds, 0) : 0
        let responseDelay = max(responseTime.milliseconds - transit.requestTime.milliseconds, 0) / 1000
        let ageValue = fields["Age"].flatMap(DeltaSeconds.age) ?? 0
        initialAge = Int32(clamping: max(apparentAge, Int64(ageValue) + responseDelay))
    }
}
