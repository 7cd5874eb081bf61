import { component$ } from '@builder.io/qwik'
import { Bytes, Copyable, Count, formatPlural, HealthBadge, KeyValue, KeyValues, Link } from '@svc/ui-kit'
import type { BucketDetail, DataSet } from './replica-map-policy.ts'

interface NodeFactsProps {
  /** Name such as `set:7`; nothing is shown without a node of this name. */
  node: string
  buckets: readonly BucketDetail[]
}

/** What the API says about the chosen node of the map. */
export const NodeFacts = component$<NodeFactsProps>(({ node, buckets }) => {
  const [kind = '', id = ''] = node.split(/:(.*)/s)
  const sets = buckets.flatMap(({ data_sets }) => data_sets)
  const bucket = buckets.find(({ name }) => kind === 'bucket' && name === id)
  const set = sets.find((item) => kind === 'set' && String(item.id) === id)
  const atProvider = sets.filter(({ provider_id }) => kind === 'provider' && provider_id === id)
  if (!bucket && !set && atProvider.length === 0) return null
  return (
    <section aria-label="Chosen node" class="max-w-2xl rounded-md border px-4 py-1.5">
      {bucket && <BucketFacts bucket={bucket} />}
      {set && <SetFacts set={set} />}
      {atProvider.length > 0 && <ProviderFacts sets={atProvider} />}
    </section>
  )
})

const BucketFacts = ({ bucket: { name, storage_health, object_count, total_size_bytes, default_copies } }: { bucket: BucketDetail }) => (
  <KeyValues>
    <KeyValue label="Bucket">
      <Link to="/buckets/:name" params={{ name }} class="text-accent hover:underline">
        {name}
      </Link>
    </KeyValue>
    <KeyValue label="Health">
      <HealthBadge health={storage_health} />
    </KeyValue>
    <KeyValue label="Objects">
      <Count value={object_count} />
    </KeyValue>
    <KeyValue label="Size">
      <Bytes value={total_size_bytes} />
    </KeyValue>
    <KeyValue label="Copies of new uploads">
      <Count value={default_copies} />
    </KeyValue>
  </KeyValues>
)

const SetFacts = ({ set }: { set: DataSet }) => (
  <KeyValues>
    <KeyValue label="Data set">
      <Copyable text={set.data_set_id} label="data set id" />
    </KeyValue>
    <KeyValue label="Health">
      <HealthBadge health={set.storage_health} />
    </KeyValue>
    <KeyValue label="Status" value={set.is_current ? set.status : `${set.status}, generation ${set.generation}`} />
    <KeyValue label="Committed copies">
      <Count value={set.committed_copies} />
    </KeyValue>
    <KeyValue label="Versions with a copy here">
      <Count value={set.referenced_version_count} />
    </KeyValue>
    <KeyValue label="Size at the provider">
      <Bytes value={set.physical_bytes} />
    </KeyValue>
  </KeyValues>
)

const ProviderFacts = ({ sets }: { sets: readonly DataSet[] }) => {
  const { provider_id, provider_identity: { service_url, location } = {} } = sets[0] ?? {}
  return (
    <KeyValues>
      <KeyValue label="Provider" value={provider_id} />
      <KeyValue label="Service URL">
        <Copyable text={service_url} label="service URL" keep={24} />
      </KeyValue>
      {location !== undefined && <KeyValue label="Location" value={location} />}
      <KeyValue label="Shown here" value={formatPlural(sets.length, 'data set')} />
      <KeyValue label="Size at the provider">
        <Bytes value={sets.reduce((sum, { physical_bytes }) => sum + physical_bytes, 0)} />
      </KeyValue>
    </KeyValues>
  )
}
