import { defineErrors } from '#kernel'

export const costErrors = defineErrors({
  price_list_changed: {
    status: 409,
    message: 'The prices have changed since they were shown; nothing was done. Estimate the action again and confirm the new amounts.',
  },
  prices_unreadable: { status: 503, message: 'The chain node does not tell the prices now; nothing was done. Try again later.' },
  data_set_not_found: { status: 404, message: 'No data set has this id. List the data sets of the bucket again.' },
  estimate_out_of_range: { status: 400, message: 'The amounts of this estimate are beyond what the chain can pay. Use smaller numbers.' },
  invalid_month: { status: 400, message: 'month must be a month such as 2026-11.' },
})
