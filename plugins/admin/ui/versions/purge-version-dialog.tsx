import { $, component$, type QRL, type Signal } from '@builder.io/qwik'
import { call, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { PurgeConfirm } from '../objects/deletion/purge-confirm.tsx'
import { objectLists } from '../objects/object-lists.ts'
import type { Version } from './version-policy.ts'

interface PurgeVersionProps {
  open: Signal<boolean>
  bucket: string
  version: Version
  onClose$: QRL<() => void>
}

const releases = {
  released: 'Its cached bytes are removed.',
  retained: 'Another version has the same bytes, so they stay.',
  failed: 'Its cached bytes are removed later.',
} as const

/** Deletes one version permanently. */
export const PurgeVersionDialog = component$<PurgeVersionProps>(({ open, bucket, version, onClose$ }) => {
  const purge = useAction$((name: string, key: string, version_id: string) =>
    call('POST /buckets/:name/objects/permanent-delete', { params: { name }, body: { key, version_id } }),
  )
  const confirm = $(async () => {
    const done = await purge.run(bucket, version.key, version.version_id)
    if (!done) return
    invalidate(objectLists)
    toast({
      title: 'Version deleted permanently',
      text: `${releases[done.cache_release]}${done.storage_cleanup_task_id === undefined ? '' : ' Its copies are removed from their providers.'}`,
    })
    open.value = false
  })
  return (
    <PurgeConfirm
      open={open}
      title="Delete this version permanently"
      changes="POST /buckets/:name/objects/permanent-delete"
      rows={[{ label: 'Version', to: version.version_id }]}
      objectKey={version.key}
      text={
        version.is_current
          ? 'This is the current version. The next older version becomes current, if there is one. The deletion is irreversible.'
          : 'Its bytes are removed from the cache and the providers, unless another version has the same bytes. The deletion is irreversible.'
      }
      pending={purge.isPending}
      failure={purge.error}
      onConfirm$={confirm}
      onClose$={onClose$}
    />
  )
})
