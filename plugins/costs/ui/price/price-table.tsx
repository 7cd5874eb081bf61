import { component$ } from '@builder.io/qwik'
import { Alert, Link, Money, toneText } from '@svc/ui-kit'
import { type Estimate, type PriceRow, priceRows } from './price-rows-policy.ts'

interface PriceTableProps {
  estimate: Estimate
  /** Estimate with the prices before they changed. */
  earlier?: Estimate | undefined
}

const digits = 6

/** Fee, locked amount, monthly rate and runway of an action, and what is missing for it. */
export const PriceTable = component$<PriceTableProps>(({ estimate, earlier }) => {
  const { deposit_needed, waits_for, price_fingerprint } = estimate
  return (
    <div class="flex min-w-0 flex-col gap-3">
      <dl class="divide-y rounded-md border bg-sunken/40 px-3 text-sm">
        {priceRows(estimate, earlier).map((row) => (
          <div key={row.label} class="flex min-w-0 flex-wrap items-baseline justify-between gap-x-4 py-1.5">
            <dt>
              {row.label} {row.note && <span class="text-xs text-muted">{row.note}</span>}
            </dt>
            <dd class="ms-auto flex flex-wrap items-baseline justify-end gap-x-2 text-end">
              {row.was !== undefined && (
                <s class="text-muted">
                  <span class="sr-only">before: </span>
                  <Money value={row.was} digits={digits} price />
                </s>
              )}
              <PriceValue value={row.value} />
            </dd>
          </div>
        ))}
      </dl>
      {deposit_needed !== '0' ? (
        <Alert tone="warning">
          The deposit lacks <Money value={deposit_needed} digits={digits} price />: the work waits until it is there.{' '}
          <Link to="/wallet" query={{ do: 'fund' }} class="text-accent underline">
            Fund the wallet
          </Link>
        </Alert>
      ) : (
        waits_for !== undefined && <Alert tone="warning">It would wait: {waits_for}.</Alert>
      )}
      <p class="text-2xs text-muted">
        Price list <code class="font-mono">{price_fingerprint.slice(0, 10)}</code>. If it changes before you confirm, nothing is done.
      </p>
    </div>
  )
})

const PriceValue = ({ value }: { value: PriceRow['value'] }) =>
  'amount' in value ? (
    <span class="font-medium">
      <Money value={value.amount} digits={digits} price />
    </span>
  ) : (
    <span class={['font-medium', value.tone && toneText[value.tone]]}>{value.text}</span>
  )
