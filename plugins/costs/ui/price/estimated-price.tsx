import { component$, useComputed$, useStore, useTask$ } from '@builder.io/qwik'
import { type ActionPriceProps, Alert, ApiError, call, SkeletonLines } from '@svc/ui-kit'
import type { priceListHeader } from '../../cost/cost-api.ts'
import type { Estimate } from './price-rows-policy.ts'
import { PriceTable } from './price-table.tsx'

const header: typeof priceListHeader = 'svc-price-list'
/** Pause between the last key of an amount and its estimate. */
const pauseMs = 250
/** A slow chain node must not keep an operator from depositing. */
const estimateMs = 15_000

interface Shown {
  /** The estimated action. */
  key: string
  estimate: Estimate | undefined
  /** Estimate with the prices at which the service refused the action. */
  earlier: Estimate | undefined
  failure: string | undefined
  isReading: boolean
}

/** The price of an action, renewed when the action changes and when the service refuses it because its prices have changed. */
export const EstimatedPrice = component$<ActionPriceProps>((props) => {
  const state = useStore<Shown>({ key: '', estimate: undefined, earlier: undefined, failure: undefined, isReading: true }, { deep: false })
  // Each drawing of the dialog makes an equal action, which must not end the request that runs.
  const wanted = useComputed$(() => JSON.stringify(props.action))
  useTask$(({ track, cleanup }) => {
    const key = track(() => wanted.value)
    const refusal = track(() => (props.error?.code === 'price_list_changed' ? props.error : undefined))
    const isFirst = state.key === ''
    const isSame = key === state.key
    if (isSame && !refusal) return
    Object.assign(state, { key, earlier: isSame ? state.estimate : undefined, isReading: true })
    props.terms.lockedReason = 'The price is being estimated.'
    const control = new AbortController()
    const timer = setTimeout(() => void read(props, state, control.signal), isFirst || isSame ? 0 : pauseMs)
    cleanup(() => {
      clearTimeout(timer)
      control.abort()
    })
  })
  return (
    <section
      aria-label="Price"
      aria-busy={state.isReading}
      class={['flex flex-col gap-3', state.isReading && state.estimate && 'opacity-60']}
    >
      {state.earlier && !state.isReading && (
        <Alert tone="warning" title="The prices have changed" live>
          Nothing was done. These are the present prices: confirm again if you agree.
        </Alert>
      )}
      {state.failure !== undefined && (
        <Alert tone="warning" title="The price is not known">
          {state.failure} You can continue without it: the prices of the chain apply.
        </Alert>
      )}
      {state.estimate && <PriceTable estimate={state.estimate} earlier={state.earlier} />}
      {!state.estimate && state.failure === undefined && <SkeletonLines lines={4} label="Estimating the price" />}
    </section>
  )
})

async function read({ action, terms }: ActionPriceProps, state: Shown, signal: AbortSignal): Promise<void> {
  try {
    const estimate = await call('POST /cost/estimate', { body: action }, { signal, deadlineMs: estimateMs })
    if (signal.aborted) return
    Object.assign(state, { estimate, failure: undefined })
    terms.headers = { [header]: estimate.price_fingerprint }
  } catch (error) {
    if (signal.aborted) return
    if (!(error instanceof ApiError)) throw error
    Object.assign(state, { estimate: undefined, earlier: undefined, failure: error.message })
    terms.headers = {}
  }
  state.isReading = false
  terms.lockedReason = undefined
}
