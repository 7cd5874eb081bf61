import { $, component$, useSignal } from '@builder.io/qwik'
import { Badge, Button, Bytes, Card, type Column, Count, Empty, KeyText, type MenuItem, Pager, Table } from '../../kit/index.ts'
import { hostileNames } from './hostile.ts'
import { Part } from './part.tsx'

interface Row {
  readonly key: string
  readonly size: number
  readonly copies: number
}

const columns: readonly Column<Row>[] = [
  { id: 'key', label: 'Key', grow: true, title: true, cell: ({ key }) => <KeyText text={key} /> },
  {
    id: 'health',
    label: 'Health',
    cell: ({ copies }) => <Badge tone={copies > 1 ? 'success' : 'warning'}>{copies > 1 ? 'replicated' : 'one copy'}</Badge>,
  },
  { id: 'copies', label: 'Copies', align: 'end', wide: true, cell: ({ copies }) => <Count value={copies} /> },
  { id: 'size', label: 'Size', align: 'end', cell: ({ size }) => <Bytes value={size} /> },
]

const rowMenu = (row: Row): readonly MenuItem[] => [
  { id: 'download', label: 'Download', icon: 'download' },
  { id: 'delete', label: 'Delete', icon: 'trash', danger: true, lockedReason: row.copies > 1 ? undefined : 'Storage work is active.' },
]

const few: readonly Row[] = hostileNames.map((key, index) => ({ key, size: 4096 ** (index % 4), copies: (index % 3) + 1 }))
const many: readonly Row[] = Array.from({ length: 10_000 }, (_, index) => ({
  key: `logs/2026/${String(index).padStart(5, '0')}.json`,
  size: index * 1777,
  copies: (index % 3) + 1,
}))
const rowKey = ({ key }: Row) => key

export const Tables = component$(() => {
  const selected = useSignal<readonly string[]>([])
  const chosen = useSignal('')
  return (
    <Part title="Tables" wide>
      <Card title="Objects" flush note={`${selected.value.length} selected`}>
        <Table
          label="Objects"
          columns={columns}
          rows={few}
          rowKey={rowKey}
          selected={selected}
          menu={rowMenu}
          onMenu$={$((action: string, key: string) => {
            chosen.value = `${action} ${key}`
          })}
        />
        <Pager first more summary="10 objects" onFirst$={$(() => {})} onNext$={$(() => {})} onPrevious$={$(() => {})} />
      </Card>
      <p role="status" class="truncate text-xs text-muted">
        {chosen.value}
      </p>
      <div class="grid min-w-0 grid-cols-1 gap-4 lg:grid-cols-3">
        <Card title="Loading" flush>
          <Table label="Loading objects" columns={columns} rows={undefined} rowKey={rowKey} skeletonRows={3} />
        </Card>
        <Card title="Empty" flush>
          <Table label="No objects" columns={columns} rows={[]} rowKey={rowKey}>
            <Empty q:slot="empty" icon="folder-open" title="No objects" text="Upload a file, or change the filter.">
              <Button size="sm" icon="upload">
                Upload
              </Button>
            </Empty>
          </Table>
        </Card>
        <Card title="Failed" flush>
          <Table
            label="Objects that could not be read"
            columns={columns}
            rows={undefined}
            rowKey={rowKey}
            error="The gateway did not answer within 10 s."
            onRetry$={$(() => {})}
          />
        </Card>
      </div>
      <Card title="Ten thousand rows" flush>
        <Table label="Ten thousand objects" columns={columns} rows={many} rowKey={rowKey} menu={rowMenu} />
      </Card>
    </Part>
  )
})
