import { component$ } from '@builder.io/qwik'
import { Ago, Copyable, KeyValue, KeyValues, Link } from '@svc/ui-kit'
import type { Replacement } from './words-policy.ts'

export const ReplacementFacts = component$<{ replacement: Replacement }>(({ replacement }) => {
  const { bucket_name, source, target, origin, selection_mode, taken_over_at, termination_epoch, finished_at } = replacement
  return (
    <KeyValues>
      <KeyValue label="Bucket">
        <Link to="/buckets/:name" params={{ name: bucket_name }} query={{ tab: 'replacements' }} class="text-accent hover:underline">
          {bucket_name}
        </Link>
      </KeyValue>
      <Side label="From" side={source} />
      <Side label="To" side={target} />
      <KeyValue label="Provider chosen by" value={chooser(origin, selection_mode)} />
      <KeyValue label="Uploads moved">{taken_over_at === undefined ? 'Not yet' : <Ago time={taken_over_at} />}</KeyValue>
      {termination_epoch !== null && <KeyValue label="Old service is paid until epoch" value={termination_epoch} />}
      <KeyValue label="Confirmed">
        <Ago time={replacement.created_at} />
      </KeyValue>
      {finished_at !== undefined && (
        <KeyValue label="Finished">
          <Ago time={finished_at} />
        </KeyValue>
      )}
      <KeyValue label="Request">
        <Copyable text={replacement.client_request_id} label="the id of the request" keep={16} />
      </KeyValue>
    </KeyValues>
  )
})

const chooser = (origin: Replacement['origin'], mode: Replacement['selection_mode']): string => {
  if (origin === 'repair') return 'Automatic repair'
  return mode === 'manual' ? 'An operator' : 'svc'
}

const Side = ({ label, side }: { label: string; side: Replacement['source'] }) => (
  <KeyValue label={label}>
    <bdi>{side.provider_identity.name ?? `Provider ${side.provider_id}`}</bdi>
    <span class="block text-xs text-muted">
      provider {side.provider_id}, {side.data_set_id === null ? 'no data set yet' : `data set ${side.data_set_id}`}
    </span>
  </KeyValue>
)
