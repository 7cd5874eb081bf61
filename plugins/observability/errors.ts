import { defineErrors } from '#kernel'

export const observabilityErrors = defineErrors({
  series_unknown: { status: 400, message: 'There is no time series with this name.' },
  series_range_invalid: { status: 400, message: 'This range cannot be answered in steps of this length.' },
})
