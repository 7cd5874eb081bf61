import { $, component$, type QRL, type Signal, useSignal, useTask$ } from '@builder.io/qwik'
import { Button, Card, Empty, FilterBar, formatPlural, setSearch, Table, useQuery, useRefusal, useSearchParam } from '@svc/ui-kit'
import { BulkButton } from '../bulk/bulk-button.tsx'
import { BulkDialog, type BulkTargets } from '../bulk/bulk-dialog.tsx'
import { CursorPager } from '../objects/cursor-pager.tsx'
import { PrefixSearch } from '../objects/prefix-search.tsx'
import { SelectionBar } from '../objects/selection-bar.tsx'
import { PurgeObjectDialog } from './purge-object-dialog.tsx'
import { RestoreObjectDialog } from './restore-object-dialog.tsx'
import { type DeletedObject, trashColumns, trashMenu } from './trash-columns.tsx'
import { TrashSummary } from './trash-summary.tsx'

interface Bulk {
  readonly action: 'restore' | 'delete_permanently'
  readonly targets: BulkTargets
}

/** Deleted objects of a bucket that can be restored. Search and page are in the address. */
export const TrashTab = component$<{ bucket: string }>(({ bucket }) => {
  const q = useSearchParam('q')
  const after = useSearchParam('after')
  /** Keeps the item as it was when its dialog opened: a list that is read again must not change what is confirmed. */
  const chosen = useSignal<{ readonly action: string; readonly item: DeletedObject }>()
  const bulk = useSignal<Bulk>()
  const selected = useSignal<readonly string[]>([])
  const isOpen = useSignal(false)
  const page = useQuery('GET /buckets/:name/objects/deleted', () => ({
    params: { name: bucket },
    query: { ...(q.value === '' ? {} : { prefix: q.value }), ...(after.value === '' ? {} : { after: after.value }) },
  }))
  useTask$(({ track }) => {
    track(() => [q.value, after.value])
    selected.value = []
  })
  const rows = page.data?.objects
  const refusal = useRefusal()
  const choose = $((action: string, key: string) => {
    const item = page.data?.objects.find((row) => row.key === key)
    if (!item) return
    chosen.value = { action, item }
    isOpen.value = true
  })
  const close = $(() => {
    // The item stays: Qwik may read it again while the dialog ends.
    if (chosen.value) chosen.value = { ...chosen.value, action: '' }
  })
  const ask = $((action: Bulk['action'], targets: BulkTargets) => {
    bulk.value = { action, targets }
    isOpen.value = true
  })
  return (
    <div>
      <TrashSummary
        bucket={bucket}
        version={`${rows?.length} ${rows?.[0]?.key} ${rows?.at(-1)?.key}`}
        onEmpty$={() => ask('delete_permanently', [{ prefix: '' }])}
      />
      <div class="mb-3">
        <FilterBar>
          <PrefixSearch label="Search by prefix" />
        </FilterBar>
      </div>
      <TrashSelection selected={selected} onAsk$={ask} />
      <Card flush>
        <Table
          label={`Deleted objects of ${bucket}`}
          columns={trashColumns(bucket, refusal('POST /buckets/:name/objects/restore') ? undefined : choose)}
          rows={rows}
          rowKey={({ key }) => key}
          selected={refusal('POST /buckets/:name/bulk-actions') ? undefined : selected}
          error={page.error?.message}
          onRetry$={page.refresh}
          menu={trashMenu(bucket)}
          onMenu$={choose}
        >
          <div q:slot="empty">
            <NoTrash q={q.value} after={after.value} />
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
      {bulk.value && (
        <BulkDialog
          open={isOpen}
          bucket={bucket}
          // Read once more after the end of the dialog has emptied the signal.
          action={bulk.value?.action ?? 'restore'}
          targets={bulk.value?.targets ?? []}
          onClose$={(isStarted: boolean) => {
            bulk.value = undefined
            if (isStarted) selected.value = []
          }}
        />
      )}
    </div>
  )
})

interface TrashSelectionProps {
  selected: Signal<readonly string[]>
  onAsk$: QRL<(action: Bulk['action'], targets: BulkTargets) => void>
}

const TrashSelection = component$<TrashSelectionProps>(({ selected, onAsk$ }) => {
  const ask = $((action: Bulk['action']) =>
    onAsk$(
      action,
      selected.value.map((key) => ({ key })),
    ),
  )
  return (
    <SelectionBar selected={selected}>
      <BulkButton icon="archive-restore" onClick$={() => ask('restore')}>
        Restore selected
      </BulkButton>
      <BulkButton icon="trash" danger onClick$={() => ask('delete_permanently')}>
        Delete selected permanently
      </BulkButton>
    </SelectionBar>
  )
})

const NoTrash = component$<{ q: string; after: string }>(({ q, after }) =>
  q === '' && after === '' ? (
    <Empty icon="trash" title="The trash is empty" text="Deleted objects are listed here until they are restored or deleted permanently." />
  ) : (
    <Empty icon="search" title="Nothing here" text={`No deleted key begins with “${q}”.`}>
      <Button onClick$={() => setSearch({ q: null, after: null })}>Show all</Button>
    </Empty>
  ),
)
