import { component$ } from '@builder.io/qwik'
import { Card, formatPlural, KeyValue, KeyValues, Money, SkeletonLines } from '@svc/ui-kit'
import type { Cost } from '../runway-policy.ts'

const kinds = [
  ['create_data_sets', 'New data sets'],
  ['addition_calls', 'Calls that add pieces'],
  ['pieces', 'Pieces'],
  ['removals', 'Removals'],
  ['terminations', 'Ends of data sets'],
] as const

/** Fees that were paid, by kind. */
export const FeesCard = component$<{ cost: Cost | undefined }>(({ cost }) => (
  <Card title="Fees paid so far">
    {cost ? (
      <>
        <KeyValues>
          {kinds.map(([kind, label]) => (
            <KeyValue key={kind} label={label}>
              <Money value={cost.fees[kind]} price />
            </KeyValue>
          ))}
          <KeyValue label="All fees">
            <strong class="font-semibold">
              <Money value={cost.fees.total} price />
            </strong>
          </KeyValue>
        </KeyValues>
        <p class="text-xs text-muted">
          Gas is paid in FIL and is not in them.
          {cost.fees.calls_without_price > 0 &&
            ` ${formatPlural(cost.fees.calls_without_price, 'call')} made while no price could be read ${cost.fees.calls_without_price === 1 ? 'is' : 'are'} not in them either.`}
        </p>
      </>
    ) : (
      <SkeletonLines lines={6} label="Loading the fees" />
    )}
  </Card>
))
