import { $, component$, type QRL, type Signal } from '@builder.io/qwik'
import { call, formatPlural, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { PurgeConfirm } from '../objects/deletion/purge-confirm.tsx'
import { objectLists } from '../objects/object-lists.ts'
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
    invalidate(objectLists)
    const tasks = done.storage_cleanup_task_ids.length
    toast({
      title: 'Object deleted permanently',
      text: `${formatPlural(done.data_versions_deleted, 'version')} and ${formatPlural(done.delete_markers_deleted, 'delete marker')} removed.${tasks > 0 ? ' Their copies are removed from the providers.' : ''}`,
    })
    open.value = false
  })
  return (
    <PurgeConfirm
      open={open}
      title="Delete this object permanently"
      changes="POST /buckets/:name/objects/deleted/permanent-delete"
      objectKey={item.key}
      text="All its versions are removed from the cache and from the providers. The object cannot be restored."
      pending={purge.isPending}
      failure={purge.error}
      onConfirm$={confirm}
      onClose$={onClose$}
    />
  )
})
