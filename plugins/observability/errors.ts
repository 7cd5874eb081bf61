import { defineErrors } from '#kernel'

export const observabilityErrors = defineErrors({
  provider_not_found: { status: 404, message: 'There is no registered provider with this id.' },
  speed_test_running: { status: 409, message: 'An upload speed test runs already. One runs at a time; wait until it has ended.' },
  speed_test_provider_ineligible: { status: 409, message: 'The provider is not available for a test.' },
  series_unknown: { status: 400, message: 'There is no time series with this name.' },
  series_range_invalid: { status: 400, message: 'This range cannot be answered in steps of this length.' },
})
