import { $, component$, useSignal } from '@builder.io/qwik'
import { Card, Empty, ErrorAlert, formatPlural, Icon, KeyText, Link, useQuery, useSearchParam } from '@svc/ui-kit'
import { folderHref } from '../buckets/links.ts'
import { CursorPager } from '../objects/cursor-pager.tsx'
import { folderOf } from '../objects/keys-policy.ts'
import { CompareDialog } from './compare-dialog.tsx'
import { KeyForm } from './key-form.tsx'
import { PurgeVersionDialog } from './purge-version-dialog.tsx'
import { RestoreVersionDialog } from './restore-version-dialog.tsx'
import { TimelineSkeleton } from './timeline-skeleton.tsx'
import { VersionList } from './version-list.tsx'

/** The history of one key. Key and page are in the address. */
export const VersionsTab = component$<{ bucket: string }>(({ bucket }) => {
  const key = useSearchParam('key')
  const marker = useSearchParam('marker')
  const chosen = useSignal<{ readonly action: string; readonly versionId: string }>()
  const isOpen = useSignal(false)
  const history = useQuery('GET /buckets/:name/objects/versions', () =>
    key.value === ''
      ? null
      : { params: { name: bucket }, query: { key: key.value, ...(marker.value === '' ? {} : { version_marker: marker.value }) } },
  )
  if (key.value === '') return <KeyForm />
  const versions = history.data?.versions
  const version = versions?.find(({ version_id }) => version_id === chosen.value?.versionId)
  const currentId = history.data?.current_version_id
  /** Is known on the first page only, which begins with it. */
  const current = versions?.find(({ version_id, is_delete_marker }) => version_id === currentId && !is_delete_marker)
  const close = $(() => {
    chosen.value = undefined
  })
  return (
    <div class="flex flex-col gap-3">
      <div class="flex flex-wrap items-center gap-3">
        <Link
          to={folderHref(bucket, folderOf(key.value))}
          class="inline-flex items-center gap-1.5 text-sm text-muted hover:text-fg hover:underline"
        >
          <Icon name="arrow-left" />
          Folder
        </Link>
        <h2 class="min-w-0 text-base font-semibold">
          <KeyText text={key.value} wrap />
        </h2>
      </div>
      <ErrorAlert error={history.error} onRetry$={history.refresh} />
      <Card flush>
        {!versions && !history.error && <TimelineSkeleton />}
        {versions?.length === 0 && (
          <Empty
            icon="file-x"
            title="No versions"
            text={marker.value === '' ? 'This key has no object, or it was deleted permanently.' : 'There are no older versions.'}
          />
        )}
        {versions && versions.length > 0 && (
          <VersionList
            bucket={bucket}
            versions={versions}
            hasMore={history.data?.has_more ?? false}
            isCompared={current !== undefined}
            onAction$={(action, versionId) => {
              chosen.value = { action, versionId }
              isOpen.value = true
            }}
          />
        )}
        <CursorPager
          list={`${bucket}\nversions\n${key.value}`}
          member="marker"
          cursor={marker.value}
          next={history.data?.has_more ? history.data.next_version_marker : undefined}
          pending={history.isFetching}
          summary={versions ? formatPlural(versions.length, 'version') : ''}
        />
      </Card>
      {version && chosen.value?.action === 'restore' && currentId !== undefined && (
        <RestoreVersionDialog
          open={isOpen}
          bucket={bucket}
          version={version}
          currentId={currentId}
          onRefresh$={history.refresh}
          onClose$={close}
        />
      )}
      {version && current && chosen.value?.action === 'compare' && (
        <CompareDialog open={isOpen} bucket={bucket} version={version} current={current} onClose$={close} />
      )}
      {version && chosen.value?.action === 'purge' && (
        <PurgeVersionDialog open={isOpen} bucket={bucket} version={version} onClose$={close} />
      )}
    </div>
  )
})
