import { component$, useSignal } from '@builder.io/qwik'
import { type Answer, Button, Card, useIsEnabled, useQuery } from '@svc/ui-kit'
import { BulkDialog } from '../bulk/bulk-dialog.tsx'
import { endsOf } from './ends-of-bucket.ts'

/** Deletes the bucket with everything in it, after its name is typed. */
export const DeleteCard = component$<{ bucket: Answer<'GET /buckets/:name'> }>(({ bucket }) => {
  const isAsking = useSignal(false)
  const isShown = useSignal(false)
  const hasCosts = useIsEnabled('costs')
  const cost = useQuery('GET /buckets/:name/cost', () => (hasCosts.value && isShown.value ? { params: { name: bucket.name } } : null))
  return (
    <Card title="Delete this bucket">
      <div class="flex flex-col items-start gap-3 text-sm">
        <p>
          Everything in it is deleted permanently by a task that shows its progress and survives restarts. Objects written after the request
          are kept, and so is the bucket. Its storage services are paid until they have ended.
        </p>
        <Button
          variant="danger"
          icon="trash"
          changes="POST /buckets/:name/bulk-actions"
          onClick$={() => {
            isShown.value = true
            isAsking.value = true
          }}
        >
          Delete bucket
        </Button>
      </div>
      {isShown.value && (
        <BulkDialog
          open={isAsking}
          bucket={bucket.name}
          action="delete_bucket"
          targets={[{ prefix: '' }]}
          rows={endsOf(bucket, cost.data)}
          onClose$={() => {
            isShown.value = false
          }}
        />
      )}
    </Card>
  )
})
