import { component$ } from '@builder.io/qwik'
import { Ago, Card, Empty, formatCount, formatPlural, KeyValue, KeyValues, toneText } from '@svc/ui-kit'
import { type Provider, rateOf, successOf, successTone } from './describe-provider.ts'

type Scorecard = NonNullable<Provider['scorecard']>

/** What our own calls of a provider show. */
export const ScorecardCard = component$<{ scorecard: Provider['scorecard'] }>(({ scorecard }) => (
  <Card title="Scorecard" note={scorecard && formatPlural(scorecard.calls, 'call')}>
    {scorecard && (
      <span q:slot="actions">
        since <Ago time={scorecard.measured_since} />
      </span>
    )}
    {!scorecard && (
      <Empty
        icon="gauge"
        title="Nothing was measured yet"
        text="Uploads, pulls and reads of objects at this provider fill the scorecard."
      />
    )}
    {scorecard && (
      <>
        <dl class="grid grid-cols-2 gap-3 xl:grid-cols-4">
          <Transfer label="Uploads" help="From the first byte to the answer of the provider" transfer={scorecard.upload} />
          <Transfer label="Pulls" help="Copied from another provider" transfer={scorecard.pull} />
          <Transfer label="Reads" help="Of objects that are not cached" transfer={scorecard.read} />
          <Success scorecard={scorecard} />
        </dl>
        <KeyValues class="mt-3">
          {scorecard.missed_proofs && (
            <KeyValue label="Missed proofs of our data sets">
              <span class={scorecard.missed_proofs.periods > 0 ? toneText.warning : ''}>
                {formatPlural(scorecard.missed_proofs.periods, 'period')} on {formatPlural(scorecard.missed_proofs.data_sets, 'data set')},
                in six weeks
              </span>
            </KeyValue>
          )}
          <KeyValue label="Last failed call">
            {scorecard.last_failure ? (
              <>
                {scorecard.last_failure.call}: {scorecard.last_failure.reason.replaceAll('_', ' ')},{' '}
                <Ago time={scorecard.last_failure.at} />
              </>
            ) : (
              'None'
            )}
          </KeyValue>
        </KeyValues>
      </>
    )}
  </Card>
))

const tile = 'flex min-w-0 flex-col rounded-md border bg-sunken/40 px-3 py-2.5'

const Transfer = ({ label, help, transfer }: { label: string; help: string; transfer: Scorecard['upload'] }) => (
  <div class={tile} title={help}>
    <dt class="text-xs font-medium text-muted">{label}</dt>
    <dd class="mt-1 text-lg font-semibold tracking-tight">{rateOf(transfer) ?? <span class="text-muted">—</span>}</dd>
    <dd class="text-xs text-muted">
      {transfer ? (
        <>
          {formatPlural(transfer.calls, 'call')}, {transfer.failed === 0 ? 'none failed' : `${formatCount(transfer.failed)} failed`}
        </>
      ) : (
        'None yet'
      )}
    </dd>
  </div>
)

const Success = ({ scorecard }: { scorecard: Scorecard }) => {
  const tone = successTone(scorecard)
  return (
    <div class={tile} title="With more weight for the calls of the last day">
      <dt class="text-xs font-medium text-muted">Success</dt>
      <dd class={['mt-1 text-lg font-semibold tracking-tight', tone && toneText[tone]]}>{successOf(scorecard)}</dd>
      <dd class="text-xs text-muted">
        {formatCount(scorecard.failed)} of {formatPlural(scorecard.calls, 'call')} failed
      </dd>
    </div>
  )
}
