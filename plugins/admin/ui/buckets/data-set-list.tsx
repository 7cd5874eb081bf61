import { component$ } from '@builder.io/qwik'
import { type Answer, Badge, Bytes, Copyable, Count, Empty, formatPlural, HealthBadge, KeyValue, KeyValues, type Tone } from '@svc/ui-kit'

type DataSet = Answer<'GET /buckets/:name'>['data_sets'][number]

const looks: Readonly<Record<DataSet['status'], readonly [tone: Tone, word: string]>> = {
  pending: ['neutral', 'Pending'],
  creating: ['info', 'Creating'],
  ready: ['success', 'Ready'],
  failed: ['danger', 'Failed'],
  unavailable: ['danger', 'Unavailable'],
  draining: ['warning', 'Draining'],
  retired: ['neutral', 'Retired'],
}

/** The data sets of a bucket by replica: the current generation first, older ones after it. */
export const DataSetList = component$<{ sets: readonly DataSet[]; wanted: number }>(({ sets, wanted }) => {
  if (sets.length === 0) {
    return (
      <div class="rounded-md border">
        <Empty
          icon="layers"
          title="No data sets yet"
          text={`The first upload opens ${formatPlural(wanted, 'data set')}, each at another provider.`}
        />
      </div>
    )
  }
  const ordered = [...sets].sort(
    (a, b) => a.copy_index - b.copy_index || Number(b.is_current) - Number(a.is_current) || b.generation - a.generation,
  )
  return (
    <ul class="flex flex-col gap-3">
      {ordered.map((set) => (
        <DataSetItem key={set.id} set={set} />
      ))}
    </ul>
  )
})

/** One that ended as planned has no health: nothing of it has to be available. */
const hasHealth = ({ status, storage_health }: DataSet) => status !== 'retired' || storage_health.status !== 'available'

const DataSetItem = component$<{ set: DataSet }>(({ set }) => (
  <li class={['rounded-md border px-3.5 py-2.5', set.is_current ? '' : 'bg-sunken']}>
    <div class="flex flex-wrap items-center justify-between gap-2">
      <span class="text-sm font-medium">
        Replica {set.copy_index + 1} <span class="font-normal text-muted">at provider {set.provider_identity.registry_provider_id}</span>
      </span>
      <span class="flex flex-wrap gap-1.5">
        <Badge tone={looks[set.status][0]}>{looks[set.status][1]}</Badge>
        {hasHealth(set) && <HealthBadge health={set.storage_health} />}
        {!set.is_current && <Badge tone="neutral">{`generation ${set.generation}, earlier`}</Badge>}
      </span>
    </div>
    <KeyValues class="mt-1">
      {set.data_set_id !== undefined && (
        <KeyValue label="Data set">
          <Copyable text={set.data_set_id} label="the id of the data set" />
        </KeyValue>
      )}
      {set.provider_identity.service_url !== undefined && (
        <KeyValue label="Service">
          <Copyable text={set.provider_identity.service_url} label="the address of the provider" keep={24} />
        </KeyValue>
      )}
      {set.provider_identity.location !== undefined && <KeyValue label="Location" value={set.provider_identity.location} />}
      <KeyValue label="Copies readable / committed">
        <Count value={set.readable_copies} /> / <Count value={set.committed_copies} />
      </KeyValue>
      <KeyValue label="Versions here / of them current">
        <Count value={set.referenced_version_count} /> / <Count value={set.current_version_count} />
      </KeyValue>
      <KeyValue label="Size at the provider">
        <Bytes value={set.physical_bytes} />
      </KeyValue>
      {set.storage_health.last_error !== undefined && <KeyValue label="Last error" value={set.storage_health.last_error} />}
    </KeyValues>
  </li>
))
