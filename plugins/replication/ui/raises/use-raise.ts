import { $, useSignal, useTask$ } from '@builder.io/qwik'
import { type ApiError, call, invalidate, newRequestId, useAction$, useQuery } from '@svc/ui-kit'
import { afterRefusal, isUnfinished } from './raise-policy.ts'

const route = 'GET /buckets/:name/copies/raise'
/** While a raise runs. */
const everyMs = 5000

interface Shown {
  readonly copies: number
  /** Absent while the prices cannot be read. */
  readonly priceList: string | undefined
}

/** What a raise would add, the newest one, and how to start it. A repeat has the same id, also after a lost answer. */
export function useRaise(bucket: string) {
  const view = useQuery(route, () => ({ params: { name: bucket } }))
  const requestId = useSignal(() => newRequestId())
  const start = useAction$(async ({ copies, priceList }: Shown) => {
    try {
      const body = { client_request_id: requestId.value, target_copies: copies }
      const headers: Record<string, string> = priceList === undefined ? {} : { 'svc-price-list': priceList }
      const { raise } = await call('POST /buckets/:name/copies/raise', { params: { name: bucket }, body }, { headers })
      requestId.value = newRequestId()
      invalidate([route, 'GET /buckets/:name', 'GET /tasks'])
      return raise
    } catch (error) {
      const next = afterRefusal((error as ApiError).code)
      if (next === 'new_request') requestId.value = newRequestId()
      if (next === 'preview') await view.refresh()
      throw error
    }
  })
  useTask$(({ track, cleanup }) => {
    if (!track(() => isUnfinished(view.data?.raise))) return
    const refresh = $(() => view.refresh())
    const timer = setInterval(() => document.visibilityState === 'visible' && void refresh(), everyMs)
    cleanup(() => clearInterval(timer))
  })
  return { view, start }
}
