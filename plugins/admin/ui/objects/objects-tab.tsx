import { component$, useSignal, useTask$ } from '@builder.io/qwik'
import {
  Button,
  Card,
  Empty,
  FilterBar,
  formatPlural,
  patchQueries,
  setSearch,
  Table,
  useEvent$,
  useQuery,
  useSearchParam,
} from '@svc/ui-kit'
import { CursorPager } from './cursor-pager.tsx'
import { DeleteObjectsDialog } from './delete-objects-dialog.tsx'
import { FolderCrumbs } from './folder-crumbs.tsx'
import { type ObjectRow, objectColumns, objectMenu } from './object-columns.tsx'
import { ObjectPanel } from './object-panel.tsx'
import { type Progressed, patchProgress } from './patch-progress.ts'
import { PrefixSearch } from './prefix-search.tsx'
import { folderId, objectId, textOfId } from './row-ids.ts'
import { SelectionBar } from './selection-bar.tsx'
import { UploadArea } from './upload-area.tsx'

/** The current objects of a bucket by folders. Folder, search, page and open object are in the address. */
export const ObjectsTab = component$<{ bucket: string }>(({ bucket }) => {
  const folder = useSearchParam('prefix')
  const q = useSearchParam('q')
  const after = useSearchParam('after')
  const object = useSearchParam('object')
  const selected = useSignal<readonly string[]>([])
  const deleting = useSignal<readonly string[]>([])
  const isDeleting = useSignal(false)
  const page = useQuery('GET /buckets/:name/objects', () => ({
    params: { name: bucket },
    query: { prefix: folder.value + q.value, delimiter: '/' as const, ...(after.value === '' ? {} : { after: after.value }) },
  }))
  useTask$(({ track }) => {
    track(() => [folder.value, q.value, after.value])
    selected.value = []
  })
  useEvent$(
    (event) => patchQueries('GET /buckets/:name/objects', (data) => patchProgress(data as never, bucket, event as never as Progressed)),
    'upload_progress_updated',
  )
  const rows: readonly ObjectRow[] | undefined = page.data && [
    ...page.data.folders.map(({ prefix }) => ({ kind: 'folder' as const, id: folderId(prefix), prefix })),
    ...page.data.objects.map((item) => ({ kind: 'object' as const, id: objectId(item.key), item })),
  ]
  const isFiltered = q.value !== '' || after.value !== ''
  return (
    <UploadArea bucket={bucket} folder={folder.value}>
      <div class="mb-3 flex flex-col gap-2 empty:hidden">
        <FolderCrumbs bucket={bucket} folder={folder.value} />
      </div>
      <div class="mb-3">
        <FilterBar>
          <PrefixSearch label="Search by prefix" />
        </FilterBar>
      </div>
      <SelectionBar
        selected={selected}
        onDelete$={() => {
          deleting.value = selected.value
          isDeleting.value = true
        }}
      />
      <Card flush>
        <Table
          label={folder.value === '' ? `Objects of ${bucket}` : `Objects in ${folder.value}`}
          columns={objectColumns(bucket, folder.value)}
          rows={rows}
          rowKey={({ id }) => id}
          rowName={(row) => (row.kind === 'folder' ? row.prefix : row.item.key)}
          selected={selected}
          error={page.error?.message}
          onRetry$={page.refresh}
          menu={objectMenu(bucket)}
          onMenu$={(action, id) => {
            if (action === 'details') setSearch({ object: textOfId(id) })
            if (action !== 'delete') return
            deleting.value = [id]
            isDeleting.value = true
          }}
        >
          <div q:slot="empty">
            {isFiltered ? (
              <Empty
                icon="search"
                title="Nothing here"
                text={`No key begins with “${folder.value}${q.value}”${after.value === '' ? '' : ' on this page'}.`}
              >
                <Button onClick$={() => setSearch({ q: null, after: null })}>Show the folder</Button>
              </Empty>
            ) : (
              <Empty
                icon="upload"
                title="No objects here"
                text="Drop files or folders on this page, use the buttons above, or write with any S3 client."
              />
            )}
          </div>
        </Table>
        <CursorPager
          list={`${bucket}\n${folder.value}${q.value}`}
          member="after"
          cursor={after.value}
          next={page.data?.has_more ? page.data.next_marker : undefined}
          pending={page.isFetching}
          summary={rows ? formatPlural(rows.length, 'row') : ''}
        />
      </Card>
      {object.value !== '' && (
        <ObjectPanel
          key={object.value}
          bucket={bucket}
          objectKey={object.value}
          onDelete$={(key: string) => {
            deleting.value = [objectId(key)]
            isDeleting.value = true
          }}
        />
      )}
      {isDeleting.value && (
        <DeleteObjectsDialog
          open={isDeleting}
          bucket={bucket}
          rowIds={deleting.value}
          onClose$={(isChanged: boolean) => {
            isDeleting.value = false
            if (isChanged) selected.value = []
          }}
        />
      )}
    </UploadArea>
  )
})
