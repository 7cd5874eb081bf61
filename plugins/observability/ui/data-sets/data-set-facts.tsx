import { component$ } from '@builder.io/qwik'
import { Ago, Alert, Badge, Copyable, formatCount, healthReasons, KeyText, KeyValue, KeyValues, Link } from '@svc/ui-kit'
import { choiceWords } from '../providers/describe-provider.ts'
import {
  chainLook,
  type DataSet,
  localWords,
  nameOfProvider,
  piecesText,
  provingLook,
  slotText,
  standingText,
} from './describe-data-set.ts'
import { ProvingStrip } from './proving-strip.tsx'
import { SetState } from './set-state.tsx'

/** Everything that is known of a data set. */
export const DataSetFacts = component$<{ set: DataSet }>(({ set }) => {
  const { facts, signal } = set
  const { proving, chosen_because: why } = facts
  const standing = standingText(facts.standing)
  const [chain, proof] = [chainLook(facts), provingLook(proving)]
  return (
    <div class="flex flex-col gap-4">
      {standing !== undefined && <Alert tone={facts.standing.state === 'denied' ? 'danger' : 'warning'}>{standing}</Alert>}
      {signal.last_error !== undefined && (
        <Alert tone="warning" title="The last check failed">
          <bdi>{signal.last_error}</bdi>
        </Alert>
      )}
      <KeyValues>
        <KeyValue label="State">
          <SetState set={set} withoutReasons />
        </KeyValue>
        {signal.reason_codes.length > 0 && (
          <KeyValue label="Reasons">
            <span class="first-letter:uppercase inline-block">{healthReasons(signal.reason_codes)}</span>
          </KeyValue>
        )}
        <KeyValue label="Checked">
          <Ago time={signal.freshness.last_checked_at} />
        </KeyValue>
        <KeyValue label="Bucket">
          <Link to="/buckets/:name" params={{ name: facts.bucket_name }} class="text-accent hover:underline">
            {facts.bucket_name}
          </Link>
        </KeyValue>
        <KeyValue label="Replica slot" value={slotText(facts)} />
        <KeyValue label="Provider">
          <Link to="/providers/:id" params={{ id: facts.provider_id }} class="text-accent hover:underline">
            <bdi>{nameOfProvider(set)}</bdi>
          </Link>
        </KeyValue>
        <KeyValue label="Chosen because">{why ? <KeyText text={`${choiceWords(why.reason)}: ${why.detail}`} wrap /> : '—'}</KeyValue>
        <KeyValue label="In this service" value={localWords[facts.local_status]} />
        <KeyValue label="On chain">
          <Badge tone={chain.tone}>{chain.word}</Badge>
        </KeyValue>
        {facts.end_epoch !== undefined && <KeyValue label="Service until epoch" value={facts.end_epoch} />}
        {facts.in_debt && <KeyValue label="Fees" value="Not covered by the reserve, or the account is in debt" />}
        <KeyValue label="Data set id">
          <Copyable text={facts.chain_data_set_id} label="data set id" />
        </KeyValue>
        <KeyValue label="Pieces" value={piecesText(facts)} />
      </KeyValues>
      <section>
        <h3 class="mb-1 text-sm font-semibold">Proofs</h3>
        <KeyValues>
          <KeyValue label="Present period">
            <Badge tone={proof.tone}>{proof.word}</Badge>
          </KeyValue>
          <KeyValue label="Last proof">
            <Ago time={proving?.last_proven_at} />
            {proving?.last_proven_epoch !== undefined && <span class="text-muted"> in epoch {proving.last_proven_epoch}</span>}
          </KeyValue>
          <KeyValue label="Next one due">
            <Ago time={proving?.next_due_at} />
            {proving?.next_due_epoch !== undefined && <span class="text-muted"> by epoch {proving.next_due_epoch}</span>}
          </KeyValue>
          {proving && (
            <KeyValue
              label="Missed in six weeks"
              value={`${formatCount(proving.missed_periods)} of ${formatCount(proving.observed_periods)} observed periods`}
            />
          )}
          {proving?.days && (
            <KeyValue label="By day">
              <ProvingStrip proving={proving} />
            </KeyValue>
          )}
        </KeyValues>
      </section>
    </div>
  )
})
