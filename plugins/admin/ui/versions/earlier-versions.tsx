import { $, component$, useSignal } from '@builder.io/qwik'
import { Button, Bytes, ErrorAlert, formatExactTime, useQuery } from '@svc/ui-kit'
import { RestoreVersionDialog } from './restore-version-dialog.tsx'
import type { Version } from './version-policy.ts'

/** Versions that are read, with the current one; the tab of versions has all. */
const readMax = 4

/** The newest earlier versions of an object, each with a button that restores it; nothing while there is none. */
export const EarlierVersions = component$<{ bucket: string; objectKey: string }>(({ bucket, objectKey }) => {
  const chosen = useSignal<Version>()
  const isOpen = useSignal(false)
  const history = useQuery('GET /buckets/:name/objects/versions', () => ({
    params: { name: bucket },
    query: { key: objectKey, limit: String(readMax) },
  }))
  const earlier = history.data?.versions.filter(({ is_current, is_delete_marker }) => !is_current && !is_delete_marker) ?? []
  const currentId = history.data?.current_version_id
  // Stays as it was when its dialog opened: a list that is read again must not change what is confirmed.
  const version = chosen.value
  if (!history.data) return <ErrorAlert error={history.error} onRetry$={history.refresh} />
  if (earlier.length === 0) return null
  return (
    <section aria-labelledby="panel-earlier">
      <h3 id="panel-earlier" class="mb-2 text-sm font-semibold">
        Earlier versions
      </h3>
      <ul class="divide-y rounded-md border">
        {earlier.map((one) => (
          <li key={one.version_id} class="flex items-center justify-between gap-3 px-3.5 py-2 text-sm">
            <span class="min-w-0">
              {formatExactTime(one.created_at)}{' '}
              <span class="text-muted">
                <Bytes value={one.size} />
              </span>
            </span>
            <Button
              size="sm"
              icon="archive-restore"
              changes="POST /buckets/:name/objects/versions/restore"
              orHidden
              aria-label={`Restore the version of ${formatExactTime(one.created_at)}`}
              onClick$={() => {
                chosen.value = one
                isOpen.value = true
              }}
            >
              Restore
            </Button>
          </li>
        ))}
      </ul>
      {version && currentId !== undefined && (
        <RestoreVersionDialog
          open={isOpen}
          bucket={bucket}
          version={version}
          currentId={currentId}
          onRefresh$={history.refresh}
          onClose$={$(() => {
            chosen.value = undefined
          })}
        />
      )}
    </section>
  )
})
