import { component$, type QRL, type Signal } from '@builder.io/qwik'
import { Ago, Alert, type Answer, Badge, Button, Bytes, Count, KeyValue, KeyValues, Sheet, useIsEnabled } from '@svc/ui-kit'
import { BucketDeletionNote } from './bucket-deletion-note.tsx'
import { BucketHealth } from './bucket-health.tsx'
import { CopyPolicyForm } from './copy-policy-form.tsx'
import { DataSetList } from './data-set-list.tsx'
import { OwnerBadge } from './owner-badge.tsx'
import { ReplacementList } from './replacement-list.tsx'

interface BucketSheetProps {
  open: Signal<boolean>
  bucket: Answer<'GET /buckets/:name'>
  onRefresh$: QRL<() => Promise<void>>
  onOwner$: QRL<() => void>
  onClose$: QRL<() => void>
}

/** Facts, health, data sets and settings of a bucket. */
export const BucketSheet = component$<BucketSheetProps>(({ open, bucket, onRefresh$, onOwner$, onClose$ }) => {
  const hasCopies = useIsEnabled('replication')
  return (
    <Sheet open={open} title={bucket.name} description="Details and settings of the bucket" size="lg" onClose$={onClose$}>
      <div class="flex flex-col gap-7">
        {hasCopies.value ? (
          <>
            <BucketHealth bucket={bucket} onRefresh$={onRefresh$} />
            <section aria-labelledby="sheet-data-sets">
              <h3 id="sheet-data-sets" class="mb-2 text-sm font-semibold">
                Data sets
              </h3>
              <DataSetList sets={bucket.data_sets} wanted={bucket.default_copies} />
            </section>
            {bucket.replacements.length > 0 && <ReplacementList replacements={bucket.replacements} />}
          </>
        ) : (
          <Alert tone="info">The plugin replication is disabled: the objects are in the cache only, and new ones get no copies.</Alert>
        )}
        <section aria-labelledby="sheet-policy">
          <h3 id="sheet-policy" class="mb-3 text-sm font-semibold">
            Copy policy
          </h3>
          <CopyPolicyForm key={`${bucket.default_copies}/${bucket.minimum_durable_copies}`} bucket={bucket} />
        </section>
        <section aria-labelledby="sheet-facts">
          <h3 id="sheet-facts" class="mb-1 text-sm font-semibold">
            Facts
          </h3>
          <KeyValues>
            <KeyValue label="Owner">
              <span class="inline-flex flex-wrap items-center justify-end gap-2">
                <OwnerBadge owner={bucket.owner_access_key} name={bucket.owner_name} />
                <Button size="sm" icon="user" changes="PUT /buckets/:name/owner" orHidden onClick$={onOwner$}>
                  Change owner
                </Button>
              </span>
            </KeyValue>
            <KeyValue label="Objects">
              <Count value={bucket.object_count} />
            </KeyValue>
            <KeyValue label="Size">
              <Bytes value={bucket.total_size_bytes} />
            </KeyValue>
            <KeyValue label="Versioning" help="Every upload adds a version; a deletion adds a delete marker.">
              <Badge tone="success">{bucket.versioning_status}</Badge>
            </KeyValue>
            <KeyValue label="Created">
              <Ago time={bucket.created_at} />
            </KeyValue>
            <KeyValue label="Changed">
              <Ago time={bucket.updated_at} />
            </KeyValue>
            <KeyValue label="Id">{bucket.id}</KeyValue>
          </KeyValues>
          <BucketDeletionNote />
        </section>
      </div>
    </Sheet>
  )
})
