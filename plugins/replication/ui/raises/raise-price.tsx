import { component$ } from '@builder.io/qwik'
import { Alert, KeyValue, KeyValues, Link, Money } from '@svc/ui-kit'
import type { RaiseView } from './raise-policy.ts'

const digits = 6

/** What a raise costs with the prices of the moment. */
export const RaisePrice = component$<{ cost: RaiseView['cost'] }>(({ cost }) => {
  if (cost === null) {
    return (
      <Alert tone="warning" title="The price is not known">
        The prices cannot be read now. You can continue without them: the prices of the chain apply.
      </Alert>
    )
  }
  return (
    <div class="flex min-w-0 flex-col gap-3">
      <KeyValues>
        <KeyValue label="Fee, once">
          <Money value={cost.fee} digits={digits} price />
        </KeyValue>
        {cost.fee_max !== cost.fee && (
          <KeyValue label="Fee at most" help="When each object has its own call.">
            <Money value={cost.fee_max} digits={digits} price />
          </KeyValue>
        )}
        <KeyValue label="Locked" help="Returned when the storage ends.">
          <Money value={cost.lock} digits={digits} price />
        </KeyValue>
        <KeyValue label="Each month" help="While it is stored.">
          <Money value={cost.rate.per_month} digits={digits} price />
        </KeyValue>
      </KeyValues>
      {cost.deposit_needed !== '0' ? (
        <Alert tone="warning">
          The deposit lacks <Money value={cost.deposit_needed} digits={digits} price />: copies wait until it is there.{' '}
          <Link to="/wallet" query={{ do: 'fund' }} class="text-accent underline">
            Fund the wallet
          </Link>
        </Alert>
      ) : (
        cost.waits_for !== undefined && <Alert tone="warning">Copies would wait: {cost.waits_for}.</Alert>
      )}
      <p class="text-2xs text-muted">
        Price list <code class="font-mono">{cost.price_fingerprint.slice(0, 10)}</code>. If it changes before you confirm, nothing is done.
      </p>
    </div>
  )
})
