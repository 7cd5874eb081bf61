import { component$ } from '@builder.io/qwik'
import { Alert, Bytes, Count, HealthBadge, KeyValue, KeyValues, Link } from '@svc/ui-kit'
import type { Replacement } from '../words-policy.ts'
import type { DataSet } from './wizard-policy.ts'

/** The replica that moves, and an unfinished replacement that would be superseded. */
export const WhyStep = component$<{ dataSet: DataSet; unfinished: Replacement | undefined }>(({ dataSet, unfinished }) => (
  <div class="flex flex-col gap-4">
    <p class="max-w-prose text-sm">
      The new provider gets the uploads of this replica as soon as its service exists. The contents are copied from other replicas or from
      the cache. The old service ends when the new provider has everything.
    </p>
    {unfinished && (
      <Alert tone="warning" title="A replacement of this replica is not finished">
        <Link to="/replacements/:id" params={{ id: String(unfinished.id) }} class="underline">
          Replacement {unfinished.id}
        </Link>{' '}
        will be superseded: the service that it began is ended.
      </Alert>
    )}
    <KeyValues>
      <KeyValue label="Replica" value={`Replica ${dataSet.copy_index + 1}`} />
      <KeyValue label="Provider">
        #{dataSet.provider_id}{' '}
        <Link to="/providers/:id/what-if" params={{ id: dataSet.provider_id }} class="text-accent underline">
          What if it fails?
        </Link>
      </KeyValue>
      {dataSet.provider_identity.service_url !== undefined && <KeyValue label="Service" value={dataSet.provider_identity.service_url} />}
      <KeyValue label="Health">
        <HealthBadge health={dataSet.storage_health} />
      </KeyValue>
      <KeyValue label="Versions there">
        <Count value={dataSet.referenced_version_count} />
      </KeyValue>
      <KeyValue label="Size there">
        <Bytes value={dataSet.physical_bytes} />
      </KeyValue>
    </KeyValues>
  </div>
))
