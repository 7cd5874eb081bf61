import { component$, Slot, useStore, useTask$ } from '@builder.io/qwik'
import { ErrorAlert } from '../kit/error-alert.tsx'
import { useParts } from './parts.ts'
import { type ActionPriceProps, type PriceTerms, pricePending } from './priced-action.ts'

/** For the dialog of an action that costs: `call(route, input, { headers: terms.headers })`, and `terms.lockedReason` for the button. */
export const usePriceTerms = (): PriceTerms => useStore<PriceTerms>({ headers: {}, lockedReason: undefined }, { deep: false })

/**
 * Shows what an action costs, by the plugin that knows prices, and why the action was refused. The slot is shown where no plugin knows
 * prices.
 */
export const ActionPrice = component$<ActionPriceProps>((props) => {
  const parts = useParts('actionPrices')
  useTask$(({ cleanup }) => {
    const { terms } = props
    terms.lockedReason = parts.value.length > 0 ? pricePending : undefined
    cleanup(() => Object.assign(terms, { headers: {}, lockedReason: undefined }))
  })
  const code = props.error?.code
  const isExplained = parts.value.some(({ refusals }) => code !== undefined && refusals.includes(code))
  return (
    <div class="flex min-w-0 flex-col gap-4">
      {parts.value.map(({ id, component: Price }) => (
        <Price key={id} action={props.action} terms={props.terms} error={props.error} />
      ))}
      {parts.value.length === 0 && <Slot />}
      <ErrorAlert error={isExplained ? undefined : props.error} />
    </div>
  )
})
