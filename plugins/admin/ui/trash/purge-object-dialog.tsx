import { $, component$, type QRL, type Signal } from '@builder.io/qwik'
import { Confirm, call, formatPlural, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { wordFor } from '../objects/keys-policy.ts'
import { PurgeWords } from '../objects/purge-words.tsx'
import type { DeletedObject } from './trash-columns.tsx'

interface PurgeObjectProps {
  open: Signal<boolean>
  bucket: string
  item: DeletedObject
  onClose$: QRL<() => void>
}

/** Deletes a trashed object with its whole history. */
export const PurgeObjectDialog = component$<PurgeObjectProps>(({ open, bucket, item, onClose$ }) => {
  const purge = useAction$((name: string, body: { key: string; delete_marker_version_id: string }) =>
    call('POST /buckets/:name/objects/deleted/permanent-delete', { params: { name }, body }),
  )
  const confirm = $(async () => {
    const { key, delete_marker_version_id } = item
    const done = await purge.run(bucket, { key, delete_marker_version_id })
    if (!done) return
    invalidate(['GET /buckets', 'GET /buckets/:name', 'GET /buckets/:name/objects/versions', 'GET /buckets/:name/objects/deleted'])
    const tasks = done.storage_cleanup_task_ids.length
    toast({
      title: 'Object deleted for good',
      text: `${formatPlural(done.data_versions_deleted, 'version')} and ${formatPlural(done.delete_markers_deleted, 'delete marker')} removed.${tasks > 0 ? ' Their copies are removed from the providers.' : ''}`,
    })
    open.value = false
  })
  return (
    <Confirm
      open={open}
      level="typed"
      word={wordFor(item.key)}
      title="Delete this object permanently"
      confirmLabel="Delete permanently"
      pending={purge.isPending}
      onConfirm$={confirm}
      onClose$={onClose$}
    >
      <PurgeWords
        objectKey={item.key}
        text="Every kept version of it goes, from the cache and from its providers. Nothing of it can be restored afterwards."
        error={purge.error}
      />
    </Confirm>
  )
})
