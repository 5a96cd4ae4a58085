// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// How old a response was when it arrived (RFC 9111 §4.2.3).
struct ResponseAge {
    let responseTime: Timestamp
    /// `date_value`: `Date`, or the time of arrival where it is missing or unreadable (RFC 9110 §6.6.1).
    let date: Timestamp
    /// `corrected_initial_age` by the conservative of the two rules. A `Date` in the future makes nothing
    /// younger than new, and a clock that went back during the exchange adds no delay.
    let initialAge: Int32

    init(_ fields: Fields, requestTime: Timestamp, responseTime: Timestamp) {
        self.responseTime = responseTime
        date = fields["Date"].flatMap { HTTPDate.parse($0, now: responseTime) } ?? responseTime
        let apparentAge = max(responseTime.seconds - date.seconds, 0)
        let responseDelay = max(responseTime.milliseconds - requestTime.milliseconds, 0) / 1000
        let ageValue = fields["Age"].flatMap(DeltaSeconds.age) ?? 0
        initialAge = Int32(clamping: max(apparentAge, Int64(ageValue) + responseDelay))
    }
}
