import { component$, type QRL } from '@builder.io/qwik'
import { Alert, Button, formatMoney, KeyValue, KeyValues, SkeletonLines } from '@svc/ui-kit'
import type { Estimate } from './use-estimate.ts'

interface PriceFactsProps {
  estimate: Estimate | undefined
  problem: string | undefined
  onRefresh$: QRL<() => void>
}

/** What a replacement costs, before it is confirmed. */
export const PriceFacts = component$<PriceFactsProps>(({ estimate, problem, onRefresh$ }) => {
  if (problem !== undefined) {
    return (
      <Alert tone="warning" title="The price cannot be computed now" live>
        {problem}
        <Button q:slot="actions" size="sm" icon="refresh-cw" onClick$={onRefresh$}>
          Try again
        </Button>
      </Alert>
    )
  }
  if (!estimate) return <SkeletonLines lines={5} label="Computing the price" />
  const { fee, fee_max, lock, rate, replaced, runway_before, runway_after, deposit_needed, waits_for } = estimate
  return (
    <div class="flex flex-col gap-3">
      {deposit_needed !== '0' && (
        <Alert tone="warning" title={`The payment account lacks ${usdfc(deposit_needed)}`}>
          The replacement can be confirmed, and waits for a deposit.
        </Alert>
      )}
      {deposit_needed === '0' && waits_for !== undefined && (
        <Alert tone="info" title="It would wait">
          {waits_for}
        </Alert>
      )}
      <KeyValues>
        <KeyValue label="Fees, once" value={fee === fee_max ? usdfc(fee) : `${usdfc(fee)}, at most ${usdfc(fee_max)}`} />
        <KeyValue label="Locked for the new service" value={usdfc(lock)} />
        <KeyValue label="New service" value={`${usdfc(rate.per_month)} per month`} />
        {replaced && <KeyValue label="Old service, until its end" value={`${usdfc(replaced.rate.per_month)} per month`} />}
        {replaced && <KeyValue label="Old service, after its end" value={`paid for ${replaced.paid_days_after_end} days from its lock`} />}
        <KeyValue label="Runway now" value={runway(runway_before)} />
        <KeyValue label="Runway while both are paid" value={runway(runway_after)} />
        {replaced && <KeyValue label="Runway after the old service" value={runway(replaced.runway_after_end)} />}
      </KeyValues>
    </div>
  )
})

const usdfc = (amount: string): string => `${formatMoney(amount, { digits: 6 })} USDFC`

const runway = ({ days, level }: Estimate['runway_before']): string => {
  if (level === 'unknown') return 'unknown'
  return days === null ? 'no running costs' : `${days} days`
}
