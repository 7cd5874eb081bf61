import { component$ } from '@builder.io/qwik'
import { Bytes, Card, Count, formatBytes, formatDuration, formatPlural, KeyValue, KeyValues, Money } from '@svc/ui-kit'
import { unknownTime, type WhatIf } from './what-if-policy.ts'

const digits = 6

/** What moving all replicas of the provider would take. */
export const HealCard = component$<{ found: WhatIf }>(({ found }) => {
  const { data_sets, pieces, bytes, seconds, bytes_per_second, measured_providers, cost } = found.heal
  return (
    <Card title="To heal">
      <KeyValues>
        <KeyValue label="New data sets">
          <Count value={data_sets} />
        </KeyValue>
        <KeyValue label="Pieces to copy">
          <Count value={pieces} />
        </KeyValue>
        <KeyValue label="Bytes to copy">
          <Bytes value={bytes} />
        </KeyValue>
        <KeyValue label="Time" value={unknownTime(found) ?? formatDuration(seconds)} />
        {bytes_per_second !== null && (
          <KeyValue
            label="At the measured rate"
            value={`${formatBytes(bytes_per_second)}/s, the median of ${formatPlural(measured_providers, 'provider')}`}
          />
        )}
        {cost === null ? (
          <KeyValue label="Cost" value="Not known: the prices cannot be read now" />
        ) : (
          <>
            <KeyValue label="Fee, once">
              <Money value={cost.fee} digits={digits} price />
            </KeyValue>
            {cost.fee_max !== cost.fee && (
              <KeyValue label="Fee at most" help="When each piece has its own call.">
                <Money value={cost.fee_max} digits={digits} price />
              </KeyValue>
            )}
            <KeyValue label="Locked">
              <Money value={cost.lock} digits={digits} price />
            </KeyValue>
            <KeyValue label="Each month" help="The rate of the new data sets; that of the old ones ends with their service.">
              <Money value={cost.rate.per_month} digits={digits} price />
            </KeyValue>
            {cost.deposit_needed !== '0' && (
              <KeyValue label="Missing in the deposit">
                <Money value={cost.deposit_needed} digits={digits} price />
              </KeyValue>
            )}
          </>
        )}
      </KeyValues>
    </Card>
  )
})
