import { $, component$, useSignal } from '@builder.io/qwik'
import { Button, Card, Empty, FilterBar, formatPlural, setSearch, Table, useQuery, useSearchParam } from '@svc/ui-kit'
import { CursorPager } from '../objects/cursor-pager.tsx'
import { PrefixSearch } from '../objects/prefix-search.tsx'
import { PurgeObjectDialog } from './purge-object-dialog.tsx'
import { RestoreObjectDialog } from './restore-object-dialog.tsx'
import { type DeletedObject, trashColumns, trashMenu } from './trash-columns.tsx'

/** Deleted objects of a bucket that can be restored. Search and page are in the address. */
export const TrashTab = component$<{ bucket: string }>(({ bucket }) => {
  const q = useSearchParam('q')
  const after = useSearchParam('after')
  /** Keeps the item as it was when its dialog opened: a list that is read again must not change what is confirmed. */
  const chosen = useSignal<{ readonly action: string; readonly item: DeletedObject }>()
  const isOpen = useSignal(false)
  const page = useQuery('GET /buckets/:name/objects/deleted', () => ({
    params: { name: bucket },
    query: { ...(q.value === '' ? {} : { prefix: q.value }), ...(after.value === '' ? {} : { after: after.value }) },
  }))
  const rows = page.data?.objects
  const close = $(() => {
    chosen.value = undefined
  })
  return (
    <div>
      <div class="mb-3">
        <FilterBar>
          <PrefixSearch label="Search by prefix" />
        </FilterBar>
      </div>
      <Card flush>
        <Table
          label={`Deleted objects of ${bucket}`}
          columns={trashColumns(bucket)}
          rows={rows}
          rowKey={({ key }) => key}
          error={page.error?.message}
          onRetry$={page.refresh}
          menu={trashMenu(bucket)}
          onMenu$={$((action: string, key: string) => {
            const item = page.data?.objects.find((row) => row.key === key)
            if (!item) return
            chosen.value = { action, item }
            isOpen.value = true
          })}
        >
          <div q:slot="empty">
            {q.value === '' && after.value === '' ? (
              <Empty
                icon="trash"
                title="The trash is empty"
                text="Deleted objects are listed here until they are restored or deleted permanently."
              />
            ) : (
              <Empty icon="search" title="Nothing here" text={`No deleted key begins with “${q.value}”.`}>
                <Button onClick$={() => setSearch({ q: null, after: null })}>Show all</Button>
              </Empty>
            )}
          </div>
        </Table>
        <CursorPager
          list={`${bucket}\ntrash\n${q.value}`}
          member="after"
          cursor={after.value}
          next={page.data?.has_more ? page.data.next_marker : undefined}
          pending={page.isFetching}
          summary={rows ? formatPlural(rows.length, 'object') : ''}
        />
      </Card>
      {chosen.value?.action === 'restore' && (
        <RestoreObjectDialog open={isOpen} bucket={bucket} item={chosen.value.item} onClose$={close} />
      )}
      {chosen.value?.action === 'purge' && <PurgeObjectDialog open={isOpen} bucket={bucket} item={chosen.value.item} onClose$={close} />}
    </div>
  )
})
