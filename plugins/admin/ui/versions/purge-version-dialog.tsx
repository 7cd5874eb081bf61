import { $, component$, type QRL, type Signal } from '@builder.io/qwik'
import { Confirm, call, invalidate, toast, useAction$ } from '@svc/ui-kit'
import { wordFor } from '../objects/keys-policy.ts'
import { PurgeWords } from '../objects/purge-words.tsx'
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

/** Deletes one version for good. */
export const PurgeVersionDialog = component$<PurgeVersionProps>(({ open, bucket, version, onClose$ }) => {
  const purge = useAction$((name: string, key: string, version_id: string) =>
    call('POST /buckets/:name/objects/permanent-delete', { params: { name }, body: { key, version_id } }),
  )
  const confirm = $(async () => {
    const done = await purge.run(bucket, version.key, version.version_id)
    if (!done) return
    invalidate([
      'GET /buckets',
      'GET /buckets/:name',
      'GET /buckets/:name/objects',
      'GET /buckets/:name/objects/versions',
      'GET /buckets/:name/objects/deleted',
    ])
    toast({
      title: 'Version deleted for good',
      text: `${releases[done.cache_release]}${done.storage_cleanup_task_id === undefined ? '' : ' Its copies are removed from their providers.'}`,
    })
    open.value = false
  })
  return (
    <Confirm
      open={open}
      level="typed"
      word={wordFor(version.key)}
      title="Delete this version permanently"
      confirmLabel="Delete permanently"
      pending={purge.isPending}
      rows={[{ label: 'Version', to: version.version_id }]}
      onConfirm$={confirm}
      onClose$={onClose$}
    >
      <PurgeWords
        objectKey={version.key}
        text={
          version.is_current
            ? 'This is the current version: the next older one becomes current, if there is one. It cannot be undone.'
            : 'Its bytes leave the cache and its providers, unless another version has the same. It cannot be undone.'
        }
        error={purge.error}
      />
    </Confirm>
  )
})
