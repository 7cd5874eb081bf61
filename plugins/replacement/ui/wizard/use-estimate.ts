import { $, useStore, useTask$ } from '@builder.io/qwik'
import { type Answer, ApiError, call, useIsEnabled } from '@svc/ui-kit'

export type Estimate = Answer<'POST /cost/estimate'>

/** The price of replacing a data set; nothing is asked while the plugin costs is disabled. */
export function useEstimate(dataSetId: number | undefined) {
  const hasCosts = useIsEnabled('costs')
  const state = useStore({ data: undefined as Estimate | undefined, problem: undefined as string | undefined, isPending: false })
  const read = $(async () => {
    if (dataSetId === undefined) return
    state.isPending = true
    try {
      state.data = await call('POST /cost/estimate', { body: { kind: 'replacement', data_set_id: dataSetId } })
      state.problem = undefined
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      state.problem = error.message
    } finally {
      state.isPending = false
    }
  })
  useTask$(({ track }) => {
    if (track(() => hasCosts.value)) void read()
  })
  return Object.assign(state, { refresh: read, hasCosts })
}
