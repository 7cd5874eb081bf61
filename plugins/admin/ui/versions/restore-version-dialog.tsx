import { $, component$, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Alert,
  Confirm,
  call,
  formatBytes,
  formatDuration,
  formatExactTime,
  invalidate,
  shortenKey,
  showHidden,
  toast,
  useAction$,
} from '@svc/ui-kit'
import { objectLists } from '../objects/object-lists.ts'
import { judgeRestoreError, type Version } from './version-policy.ts'

interface RestoreVersionProps {
  open: Signal<boolean>
  bucket: string
  version: Version
  currentId: string
  onRefresh$: QRL<() => Promise<void>>
  onClose$: QRL<() => void>
}

/** The bytes may have to come from a provider first. */
const restoreMs = 3_600_000

/** Makes an earlier version the current one, as a new version with its bytes. */
export const RestoreVersionDialog = component$<RestoreVersionProps>(({ open, bucket, version, currentId, onRefresh$, onClose$ }) => {
  const elapsedMs = useSignal(0)
  const restore = useAction$((name: string, key: string, version_id: string, expected_current_version_id: string) =>
    call(
      'POST /buckets/:name/objects/versions/restore',
      { params: { name }, body: { key, version_id, expected_current_version_id } },
      { deadlineMs: restoreMs },
    ),
  )
  useTask$(({ track, cleanup }) => {
    if (!track(() => restore.isPending)) return
    const startedAtMs = Date.now()
    elapsedMs.value = 0
    const timer = setInterval(() => {
      elapsedMs.value = Date.now() - startedAtMs
    }, 1000)
    cleanup(() => clearInterval(timer))
  })
  const confirm = $(async () => {
    const done = await restore.run(bucket, version.key, version.version_id, currentId)
    invalidate(objectLists)
    // The next attempt names the version that is current then.
    if (!done) return onRefresh$()
    toast({ title: 'Restored as a new version', text: shortenKey(showHidden(version.key), 60) })
    open.value = false
  })
  const refusal = restore.error && judgeRestoreError(restore.error)
  return (
    <Confirm
      open={open}
      level="review"
      changes="POST /buckets/:name/objects/versions/restore"
      title="Restore this version"
      description="Its bytes become a new current version. All other versions stay."
      confirmLabel="Restore"
      pending={restore.isPending}
      error={refusal === 'failed' ? restore.error?.message : undefined}
      lockedReason={refusal === 'nothing-to-do' ? 'There is nothing to restore.' : undefined}
      rows={[
        { label: 'Key', to: showHidden(version.key) },
        { label: 'Current version', from: currentId, to: 'a new version' },
        {
          label: 'Bytes of',
          from: '—',
          to: `${version.version_id}, ${formatBytes(version.size)}, uploaded ${formatExactTime(version.created_at)}`,
        },
      ]}
      onConfirm$={confirm}
      onClose$={onClose$}
    >
      {restore.isPending && (
        <p role="status" class="text-sm text-muted">
          Restoring for {formatDuration(elapsedMs.value)}. Bytes that are not in the cache come from a provider, which can take up to an
          hour. Keep this page open.
        </p>
      )}
      {refusal === 'nothing-to-do' && (
        <Alert tone="neutral" title="Nothing to do" live>
          The current version has these bytes already.
        </Alert>
      )}
      {refusal === 'look-again' && (
        <Alert tone="warning" title="The object has a new current version" live>
          {restore.error?.message} The list was refreshed: compare again, then confirm.
        </Alert>
      )}
    </Confirm>
  )
})
