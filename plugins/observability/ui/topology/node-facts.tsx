import { component$ } from '@builder.io/qwik'
import { Ago, Bytes, Count, HealthBadge, healthReasons, KeyText, KeyValue, KeyValues, setSearch, showHidden } from '@svc/ui-kit'
import { type DataSet, nameOfProvider, nameOfSet, slotText } from '../data-sets/describe-data-set.ts'
import { SetState } from '../data-sets/set-state.tsx'
import { HealthState } from '../health/health-state.tsx'
import { type Provider, rateOf, successOf } from '../providers/describe-provider.ts'
import type { Bucket } from './describe-topology.ts'

export const BucketFacts = component$<{ bucket: Bucket; sets: readonly DataSet[] }>(({ bucket, sets }) => (
  <div class="flex flex-col gap-5">
    <KeyValues>
      <KeyValue label="State">
        <HealthBadge health={bucket.storage_health} />
      </KeyValue>
      {bucket.storage_health.reason_codes.length > 0 && (
        <KeyValue label="Reasons" value={healthReasons(bucket.storage_health.reason_codes)} />
      )}
      <KeyValue label="Objects">
        <Count value={bucket.object_count} />
      </KeyValue>
      <KeyValue label="Size">
        <Bytes value={bucket.total_size_bytes} />
      </KeyValue>
      <KeyValue label="Copies of new uploads">
        <Count value={bucket.default_copies} />
      </KeyValue>
    </KeyValues>
    <SetList title="Data sets" sets={sets} label={(set) => `${slotText(set.facts)} at ${showHidden(nameOfProvider(set))}`} />
  </div>
))

export const ProviderSummary = component$<{ provider: Provider; sets: readonly DataSet[] }>(({ provider, sets }) => {
  const { signal, scorecard, provider_identity: identity } = provider
  return (
    <div class="flex flex-col gap-5">
      <KeyValues>
        <KeyValue label="State">
          <HealthState signal={{ ...signal, reason_codes: [] }} />
        </KeyValue>
        {signal.reason_codes.length > 0 && <KeyValue label="Reasons" value={healthReasons(signal.reason_codes)} />}
        {signal.last_error !== undefined && (
          <KeyValue label="Last error">
            <KeyText text={signal.last_error} wrap />
          </KeyValue>
        )}
        <KeyValue label="Checked">
          <Ago time={signal.freshness.last_checked_at} />
        </KeyValue>
        {identity?.location !== undefined && (
          <KeyValue label="Location">
            <KeyText text={identity.location} wrap />
          </KeyValue>
        )}
        <KeyValue label="Uploads, reads" value={`${rateOf(scorecard?.upload) ?? '—'}, ${rateOf(scorecard?.read) ?? '—'}`} />
        <KeyValue label="Success of our calls" value={scorecard ? successOf(scorecard) : '—'} />
      </KeyValues>
      <SetList
        title="Our data sets there"
        sets={sets}
        label={({ facts }) => `${slotText(facts)} of bucket ${showHidden(facts.bucket_name)}`}
      />
    </div>
  )
})

/** Leads from node to node. */
const SetList = ({ title, sets, label }: { title: string; sets: readonly DataSet[]; label: (set: DataSet) => string }) => (
  <section>
    <h3 class="mb-2 text-sm font-semibold">{title}</h3>
    {sets.length === 0 && <p class="text-sm text-muted">None in this picture.</p>}
    {sets.length > 0 && (
      <ul class="divide-y rounded-md border">
        {sets.map((set) => {
          const ref = `set:${set.facts.local_data_set_id}`
          return (
            <li key={ref} class="flex items-center justify-between gap-3 px-3.5 py-2 text-sm">
              <span class="min-w-0">
                <button
                  type="button"
                  class="rounded-sm font-medium hover:underline"
                  onClick$={() => setSearch({ node: ref }, { replace: true })}
                >
                  {nameOfSet(set.facts)}
                </button>
                <bdi class="block truncate text-xs text-muted">{label(set)}</bdi>
              </span>
              <SetState set={set} withoutReasons />
            </li>
          )
        })}
      </ul>
    )}
  </section>
)
