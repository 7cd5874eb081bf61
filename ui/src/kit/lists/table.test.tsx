import { $, component$, useSignal } from '@builder.io/qwik'
import { describe, expect, test } from 'vitest'
import { KeyText } from '../copyable.tsx'
import { all, createScreen, find, stubLayout, textsOf } from '../testing/dom.ts'
import { Table } from './table.tsx'
import type { Column } from './table-props.ts'

stubLayout()

interface Row {
  readonly key: string
  readonly size: number
}
const rowKey = ({ key }: Row) => key
const columns: readonly Column<Row>[] = [
  { id: 'key', label: 'Key', grow: true, title: true, cell: ({ key }) => <KeyText text={key} /> },
  { id: 'size', label: 'Size', align: 'end', cell: ({ size }) => size },
]
const rows: readonly Row[] = [
  { key: 'a', size: 1 },
  { key: 'b', size: 2 },
]

const Selection = component$(() => {
  const selected = useSignal<readonly string[]>([])
  const chosen = useSignal('')
  return (
    <>
      <Table
        label="Objects"
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        selected={selected}
        menu={() => [
          { id: 'delete', label: 'Delete' },
          { id: 'restore', label: 'Restore', lockedReason: 'It is the current version.' },
        ]}
        onMenu$={$((action: string, key: string) => {
          chosen.value = `${action} ${key}`
        })}
      />
      <output id="selected">{selected.value.join()}</output>
      <output id="chosen">{chosen.value}</output>
    </>
  )
})

describe('a table', () => {
  test('shows its rows under its columns', async () => {
    const { screen, render } = await createScreen()
    await render(<Table label="Objects" columns={columns} rows={rows} rowKey={rowKey} />)
    expect(textsOf(screen, 'th')).toEqual(['Key', 'Size'])
    expect(textsOf(screen, 'td bdi')).toEqual(['a', 'b'])
  })

  test('is sorted by a column up, down and not at all', async () => {
    const { screen, render, userEvent } = await createScreen()
    const sortable = columns.map((column) => (column.id === 'size' ? { ...column, sort: ({ size }: Row) => -size } : column))
    await render(<Table label="Objects" columns={sortable} rows={rows} rowKey={rowKey} />)
    const head = () => all(screen, 'th')[1]?.getAttribute('aria-sort') ?? undefined
    const seen: unknown[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      await userEvent('th button', 'click')
      seen.push([head(), textsOf(screen, 'td bdi').join('')])
    }
    expect(seen).toEqual([
      ['ascending', 'ba'],
      ['descending', 'ab'],
      [undefined, 'ab'],
    ])
  })

  test('that loads is busy and shows grey rows', async () => {
    const { screen, render } = await createScreen()
    await render(<Table label="Objects" columns={columns} rows={undefined} rowKey={rowKey} skeletonRows={3} />)
    expect(find(screen, 'table').getAttribute('aria-busy')).toBe('true')
    expect(all(screen, 'tbody tr')).toHaveLength(3)
  })

  test('without rows shows what to do instead', async () => {
    const { screen, render } = await createScreen()
    await render(
      <Table label="Objects" columns={columns} rows={[]} rowKey={rowKey}>
        <p q:slot="empty">Upload a file.</p>
      </Table>,
    )
    expect([all(screen, 'table').length, screen.textContent]).toEqual([0, 'Upload a file.'])
  })

  test('that failed says why; rows of an earlier answer stay', async () => {
    const failed = await createScreen()
    await failed.render(<Table label="Objects" columns={columns} rows={undefined} rowKey={rowKey} error="No answer." />)
    expect([all(failed.screen, 'table').length, failed.screen.textContent]).toEqual([0, 'No answer.'])
    const stale = await createScreen()
    await stale.render(<Table label="Objects" columns={columns} rows={rows} rowKey={rowKey} error="No answer." />)
    expect(textsOf(stale.screen, 'td bdi')).toEqual(['a', 'b'])
    expect(find(stale.screen, '[role=alert]').textContent).toContain('No answer.')
  })

  test('of 10,000 rows has fewer than 60 in the document and says how many there are', async () => {
    const { screen, render } = await createScreen()
    const many = Array.from({ length: 10_000 }, (_, index) => ({ key: `k${index}`, size: index }))
    await render(<Table label="Objects" columns={columns} rows={many} rowKey={rowKey} />)
    expect(all(screen, 'tbody tr').length).toBeLessThan(60)
    expect(find(screen, 'table').getAttribute('aria-rowcount')).toBe('10001')
  })

  test('selects one row and all rows', async () => {
    const { screen, render, userEvent } = await createScreen()
    await render(<Selection />)
    const check = async (label: string, checked: boolean) => {
      const input = find(screen, `input[aria-label="${label}"]`) as HTMLInputElement
      input.checked = checked
      await userEvent(input, 'change')
      return find(screen, '#selected').textContent
    }
    expect([await check('Select b', true), await check('Select all rows', true), await check('Select a', false)]).toEqual(['b', 'a,b', 'b'])
  })

  test('tells which row an action is for, and refuses a locked one', async () => {
    const { screen, render, userEvent } = await createScreen()
    await render(<Selection />)
    expect(all(screen, '[role=menuitem]')).toHaveLength(0)
    await userEvent('[aria-label="Actions for b"]', 'click')
    const [remove, restore] = all(screen, '[role=menuitem]')
    await userEvent(restore as Element, 'click')
    expect([restore?.textContent, find(screen, '#chosen').textContent]).toEqual(['RestoreIt is the current version.', ''])
    await userEvent(remove as Element, 'click')
    expect(find(screen, '#chosen').textContent).toBe('delete b')
  })

  test('shows keys in elements of their own direction', async () => {
    const { screen, render } = await createScreen()
    await render(<Table label="Objects" columns={columns} rows={[{ key: 'صور', size: 1 }]} rowKey={rowKey} />)
    expect(textsOf(screen, 'td bdi')).toEqual(['صور'])
  })
})
