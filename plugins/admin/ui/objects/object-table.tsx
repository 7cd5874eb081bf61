import { $, component$, type QRL, type Signal } from '@builder.io/qwik'
import { type Answer, Button, Card, Empty, type Query, setSearch, Table, useAddress, useIsEnabled, useQuery, useRefusal } from '@svc/ui-kit'
import { useHasLife } from '../buckets/links.ts'
import { CursorPager } from './cursor-pager.tsx'
import { type ObjectRow, objectColumns, objectMenu } from './object-columns.tsx'
import { rowsBefore } from './page-trail.ts'
import { rangeText } from './range-text.ts'
import { folderId, objectId, textOfId } from './row-ids.ts'
import { noneOf, readLimitText, type Work } from './work-texts.ts'

interface Place {
  readonly folder: string
  readonly q: string
  readonly after: string
  /** The state that is asked for. */
  readonly work: Work | undefined
}

interface ObjectTableProps {
  bucket: string
  place: Place
  page: Query<Answer<'GET /buckets/:name/objects'>>
  selected: Signal<readonly string[]>
  onDelete$: QRL<(rowId: string) => void>
}

/** Folders, then objects. */
export const ObjectTable = component$<ObjectTableProps>(({ bucket, place, page, selected, onDelete$ }) => {
  const { folder, q, after, work } = place
  const hasCopies = useIsEnabled('replication').value
  const hasLife = useHasLife()
  const address = useAddress()
  const shown = useQuery('GET /buckets/:name', () => ({ params: { name: bucket } }))
  const list = `${bucket}\n${folder}${q}\n${work ?? ''}`
  const rows: readonly ObjectRow[] | undefined = page.data && [
    ...page.data.folders.map(({ prefix }) => ({ kind: 'folder' as const, id: folderId(prefix), prefix })),
    ...page.data.objects.map((item) => ({ kind: 'object' as const, id: objectId(item.key), item })),
  ]
  return (
    <Card flush>
      <Table
        label={folder === '' ? `Objects of ${bucket}` : `Objects in ${folder}`}
        columns={objectColumns(bucket, { folder, address: address.value, hasCopies })}
        rows={rows}
        rowKey={({ id }) => id}
        rowName={(row) => (row.kind === 'folder' ? row.prefix : row.item.key)}
        selected={selected}
        error={page.error?.message}
        onRetry$={page.refresh}
        menu={objectMenu(bucket, hasLife)}
        onMenu$={$((action: string, id: string) => {
          if (action === 'details') setSearch({ object: textOfId(id) })
          if (action === 'delete') return onDelete$(id)
        })}
      >
        <div q:slot="empty">
          <NoObjects place={place} isCut={page.data?.keys_read !== undefined} />
        </div>
      </Table>
      {page.data?.keys_read !== undefined && (
        <p class="border-t px-4 py-2.5 text-xs text-muted">{readLimitText(page.data?.keys_read ?? 0)}</p>
      )}
      <CursorPager
        list={list}
        rows={rows?.length ?? 0}
        member="after"
        cursor={after}
        next={page.data?.has_more ? page.data.next_marker : undefined}
        pending={page.isFetching}
        summary={
          rows
            ? rangeText({ before: rowsBefore(list, after), rows: rows.length, objects: work ? undefined : shown.data?.object_count })
            : ''
        }
      />
    </Card>
  )
})

const NoObjects = component$<{ place: Place; isCut: boolean }>(({ place: { folder, q, after, work }, isCut }) => {
  const refused = useRefusal()('POST /buckets/:name/objects/upload')
  if (work) {
    return (
      <Empty icon="search" title={isCut ? 'None among the keys that were read' : noneOf(work)} text="Subfolders were searched too.">
        <Button onClick$={() => setSearch({ work: null, after: null })}>Show every state</Button>
      </Empty>
    )
  }
  if (q === '' && after === '') {
    return (
      <Empty
        icon="upload"
        title="No objects here"
        text={
          refused ? 'None was uploaded yet.' : 'Drop files or folders on this page, use the buttons above, or write with any S3 client.'
        }
      />
    )
  }
  return (
    <Empty icon="search" title="Nothing here" text={`No key begins with “${folder}${q}”${after === '' ? '' : ' on this page'}.`}>
      <Button onClick$={() => setSearch({ q: null, after: null })}>Show the folder</Button>
    </Empty>
  )
})
