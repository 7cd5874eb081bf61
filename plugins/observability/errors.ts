import { defineErrors } from '#kernel'

export const observabilityErrors = defineErrors({
  provider_not_found: { status: 404, message: 'There is no registered provider with this id.' },
  speed_test_running: { status: 409, message: 'An upload speed test runs already. One runs at a time; wait until it has ended.' },
  data_set_filter_conflict: { status: 400, message: 'Filter by bucket or by bucket_id, not by both.' },
  bucket_filter_unknown: { status: 400, message: 'There is no bucket with this name.' },
  proof_version_not_found: { status: 404, message: 'There is no such version with bytes.' },
  samples_running: { status: 409, message: 'A requested check of remote copies runs already. Wait until it has ended.' },
  speed_test_provider_ineligible: { status: 409, message: 'The provider is not available for a test.' },
  series_unknown: { status: 400, message: 'There is no time series with this name.' },
  series_range_invalid: { status: 400, message: 'This range cannot be answered in steps of this length.' },
})
