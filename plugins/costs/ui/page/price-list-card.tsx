import { component$ } from '@builder.io/qwik'
import { Card, Copyable, formatExactCount, formatMoney, KeyValue, KeyValues, Money, SkeletonLines } from '@svc/ui-kit'
import type { Cost } from '../runway-policy.ts'

const prices = [
  ['storage_per_tib_month', 'A TiB for a month'],
  ['data_set_month', 'A data set for a month'],
  ['create_data_set', 'A new data set'],
  ['addition_call', 'A call that adds pieces'],
  ['piece', 'A piece'],
  ['removal_call', 'A removal'],
  ['termination', 'The end of a data set'],
  ['reserve', 'Reserve of a data set'],
] as const

/** The price list of the storage service. */
export const PriceListCard = component$<{ cost: Cost | undefined }>(({ cost }) => (
  <Card title="Price list">
    {!cost && <SkeletonLines lines={8} label="Loading the price list" />}
    {cost && !cost.prices && <p class="text-sm text-muted">The prices were not read yet.</p>}
    {cost?.prices && (
      <>
        <KeyValues>
          {prices.map(([name, label]) => (
            <KeyValue key={name} label={label}>
              <Money value={cost.prices?.[name]} digits={8} price />
            </KeyValue>
          ))}
          <KeyValue label="Fingerprint" help="Changes with any price. The dashboard sends it with actions that cost.">
            <Copyable text={cost.prices.fingerprint} label="fingerprint of the price list" />
          </KeyValue>
        </KeyValues>
        <p class="text-xs text-muted">
          {`The rate of ${formatExactCount(cost.prices.lockup_epochs)} epochs stays locked. A reserve is refilled below ${formatMoney(cost.prices.reserve_refill, { up: true })} USDFC.`}
        </p>
      </>
    )}
  </Card>
))
