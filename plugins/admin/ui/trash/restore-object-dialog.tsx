import { $, component$, type QRL, type Signal } from '@builder.io/qwik'
import { Confirm, call, formatBytes, formatExactTime, invalidate, shortenKey, showHidden, toast, useAction$ } from '@svc/ui-kit'
import { objectHref } from '../buckets/links.ts'
import { objectLists } from '../objects/object-lists.ts'
import type { DeletedObject } from './trash-columns.tsx'

interface TrashDialogProps {
  open: Signal<boolean>
  bucket: string
  item: DeletedObject
  onClose$: QRL<() => void>
}

/** Takes an object out of the trash. */
export const RestoreObjectDialog = component$<TrashDialogProps>(({ open, bucket, item, onClose$ }) => {
  const restore = useAction$((name: string, body: { key: string; delete_marker_version_id: string }) =>
    call('POST /buckets/:name/objects/restore', { params: { name }, body }),
  )
  const confirm = $(async () => {
    const { key, delete_marker_version_id } = item
    const done = await restore.run(bucket, { key, delete_marker_version_id })
    // The object may be gone from the trash after a refusal too.
    invalidate(objectLists)
    if (!done) return
    open.value = false
    toast({ title: 'Object restored', text: shortenKey(showHidden(key), 60), to: objectHref(bucket, key), toLabel: 'Show it' })
  })
  return (
    <Confirm
      open={open}
      level="review"
      changes="POST /buckets/:name/objects/restore"
      title="Restore this object"
      description="Its delete markers are removed, so that its newest version is current again."
      confirmLabel="Restore"
      pending={restore.isPending}
      error={restore.error?.message}
      rows={[
        { label: 'Key', to: showHidden(item.key) },
        { label: 'Version', to: item.restore_version_id },
        { label: 'Size', to: formatBytes(item.restore_size) },
        { label: 'Type', to: showHidden(item.restore_content_type) },
        { label: 'Deleted', to: formatExactTime(item.deleted_at) },
      ]}
      onConfirm$={confirm}
      onClose$={onClose$}
    />
  )
})
