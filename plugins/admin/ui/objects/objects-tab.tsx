import { $, component$, useSignal, useTask$ } from '@builder.io/qwik'
import { FilterBar, patchQueries, useEvent$, useIsEnabled, useQuery, useSearchParam } from '@svc/ui-kit'
import { BulkButton } from '../bulk/bulk-button.tsx'
import { BulkDialog } from '../bulk/bulk-dialog.tsx'
import { DownloadSelected } from './download-selected.tsx'
import { FolderCrumbs } from './folder-crumbs.tsx'
import { ObjectPanel } from './object-panel.tsx'
import { ObjectTable } from './object-table.tsx'
import { PrefixSearch } from './prefix-search.tsx'
import { objectId } from './row-ids.ts'
import { targetsOfRows } from './row-targets.ts'
import { SelectionBar } from './selection-bar.tsx'
import { type Progressed, patchProgress } from './uploads/patch-progress.ts'
import { UploadArea } from './uploads/upload-area.tsx'
import { WorkFilter } from './work-filter.tsx'
import { readWork, type Work } from './work-texts.ts'

/** The current objects of a bucket by folders. Folder, search, page and open object are in the address. */
export const ObjectsTab = component$<{ bucket: string }>(({ bucket }) => {
  const folder = useSearchParam('prefix')
  const q = useSearchParam('q')
  const after = useSearchParam('after')
  const asked = useSearchParam('work')
  const hasCopies = useIsEnabled('replication')
  const object = useSearchParam('object')
  const selected = useSignal<readonly string[]>([])
  /** Keeps the dialog until it has told how it ended. */
  const deleting = useSignal<readonly string[]>()
  const isDeleting = useSignal(false)
  const page = useQuery('GET /buckets/:name/objects', () => ({
    params: { name: bucket },
    query: {
      prefix: folder.value + q.value,
      ...(after.value === '' ? {} : { after: after.value }),
      ...inState(hasCopies.value ? readWork(asked.value) : undefined),
    },
  }))
  useTask$(({ track }) => {
    track(() => [folder.value, q.value, after.value, asked.value])
    selected.value = []
  })
  useEvent$(
    (event) => patchQueries('GET /buckets/:name/objects', (data) => patchProgress(data as never, bucket, event as never as Progressed)),
    'upload_progress_updated',
  )
  const askToDelete = $((ids: readonly string[]) => {
    deleting.value = ids
    isDeleting.value = true
  })
  return (
    <UploadArea bucket={bucket} folder={folder.value}>
      <div q:slot="tools" class="w-full sm:w-auto">
        <FilterBar>
          <PrefixSearch label="Search by prefix" />
          {hasCopies.value && <WorkFilter />}
        </FilterBar>
      </div>
      <div class="mb-3 empty:hidden">
        <FolderCrumbs bucket={bucket} folder={folder.value} />
      </div>
      <SelectionBar selected={selected}>
        <DownloadSelected bucket={bucket} selected={selected} />
        <BulkButton icon="trash" danger onClick$={() => askToDelete(selected.value)}>
          Delete
        </BulkButton>
      </SelectionBar>
      <ObjectTable
        bucket={bucket}
        place={{ folder: folder.value, q: q.value, after: after.value, work: hasCopies.value ? readWork(asked.value) : undefined }}
        page={page}
        selected={selected}
        onDelete$={(id: string) => askToDelete([id])}
      />
      {object.value !== '' && (
        <ObjectPanel
          key={object.value}
          bucket={bucket}
          objectKey={object.value}
          onDelete$={(key: string) => askToDelete([objectId(key)])}
        />
      )}
      {deleting.value && (
        <BulkDialog
          open={isDeleting}
          bucket={bucket}
          action="move_to_trash"
          targets={targetsOfRows(deleting.value ?? [])}
          onClose$={(isStarted: boolean) => {
            deleting.value = undefined
            if (isStarted) selected.value = []
          }}
        />
      )}
    </UploadArea>
  )
})

/** A list by state has no folders: it holds the objects of all folders below. */
const inState = (work: Work | undefined) => (work === undefined ? { delimiter: '/' as const } : { work })
