import { $, component$, useSignal } from '@builder.io/qwik'
import { createDOM } from '@builder.io/qwik/testing'
import { describe, expect, test, vi } from 'vitest'
import {
  Badge,
  Button,
  type Column,
  Confirm,
  Copyable,
  Field,
  FilterBar,
  KeyText,
  Menu,
  Money,
  NumberStepper,
  PageHeader,
  Pager,
  Progress,
  Switch,
  Table,
  Tabs,
  TextInput,
} from './index.ts'

// The test document has no layout.
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe() {}
    disconnect() {}
  },
)
vi.stubGlobal('requestAnimationFrame', () => 1)
vi.stubGlobal('cancelAnimationFrame', () => {})

/** The test document answers undefined where it finds nothing. */
const all = (screen: ParentNode, selector: string): readonly Element[] => Array.from(screen.querySelectorAll(selector) ?? [])
const find = (screen: ParentNode, selector: string): Element => {
  const element = screen.querySelector(selector)
  if (!element) throw new Error(`Nothing matches ${selector} in ${(screen as Element).innerHTML}`)
  return element
}
const textsOf = (screen: ParentNode, selector: string) => all(screen, selector).map((element) => element.textContent)

const Clicks = component$<{ lockedReason?: string; pending?: boolean }>((props) => {
  const clicks = useSignal(0)
  return (
    <>
      <Button
        {...props}
        onClick$={() => {
          clicks.value += 1
        }}
      >
        Save
      </Button>
      <output>{clicks.value}</output>
    </>
  )
})

describe('a button', () => {
  test('runs its action', async () => {
    const { screen, render, userEvent } = await createDOM()
    await render(<Clicks />)
    await userEvent('button', 'click')
    expect(find(screen, 'output').textContent).toBe('1')
  })

  test('with a reason against it can be focused, says the reason and does nothing', async () => {
    const { screen, render, userEvent } = await createDOM()
    await render(<Clicks lockedReason="The bucket has objects." />)
    await userEvent('button', 'click')
    const button = find(screen, 'button')
    expect(find(screen, 'output').textContent).toBe('0')
    expect([button.hasAttribute('disabled'), button.getAttribute('aria-disabled'), button.getAttribute('data-tooltip')]).toEqual([
      false,
      'true',
      'The bucket has objects.',
    ])
  })

  test('that is pending is off and busy', async () => {
    const { screen, render } = await createDOM()
    await render(<Clicks pending />)
    const button = find(screen, 'button')
    expect([button.hasAttribute('disabled'), button.getAttribute('aria-busy')]).toEqual([true, 'true'])
  })
})

describe('names from outside', () => {
  const name = '<img src=x onerror=alert(1)>\u202egpj'

  test('are text, with hidden letters made visible', async () => {
    const { screen, render } = await createDOM()
    await render(
      <>
        <KeyText text={name} />
        <PageHeader title={name} crumbs={[{ label: name, to: '/b' }]} />
        <Copyable text={name} label="name" keep={40} />
      </>,
    )
    expect(all(screen, 'img')).toEqual([])
    expect(textsOf(screen, 'bdi')).toEqual(Array(4).fill('<img src=x onerror=alert(1)>‹202E›gpj'))
  })

  test('stand in elements of their own direction', async () => {
    const { screen, render } = await createDOM()
    await render(<Table label="Objects" columns={columns} rows={[{ key: 'صور', size: 1 }]} rowKey={rowKey} />)
    expect(textsOf(screen, 'td bdi')).toEqual(['صور'])
  })
})

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
    const { screen, render } = await createDOM()
    await render(<Table label="Objects" columns={columns} rows={rows} rowKey={rowKey} />)
    expect(textsOf(screen, 'th')).toEqual(['Key', 'Size'])
    expect(textsOf(screen, 'td bdi')).toEqual(['a', 'b'])
  })

  test('that loads is busy and shows grey rows', async () => {
    const { screen, render } = await createDOM()
    await render(<Table label="Objects" columns={columns} rows={undefined} rowKey={rowKey} skeletonRows={3} />)
    expect(find(screen, 'table').getAttribute('aria-busy')).toBe('true')
    expect(all(screen, 'tbody tr')).toHaveLength(3)
  })

  test('without rows shows what to do instead', async () => {
    const { screen, render } = await createDOM()
    await render(
      <Table label="Objects" columns={columns} rows={[]} rowKey={rowKey}>
        <p q:slot="empty">Upload a file.</p>
      </Table>,
    )
    expect([all(screen, 'table').length, screen.textContent]).toEqual([0, 'Upload a file.'])
  })

  test('that failed says why; rows of an earlier answer stay', async () => {
    const failed = await createDOM()
    await failed.render(<Table label="Objects" columns={columns} rows={undefined} rowKey={rowKey} error="No answer." />)
    expect([all(failed.screen, 'table').length, failed.screen.textContent]).toEqual([0, 'No answer.'])
    const stale = await createDOM()
    await stale.render(<Table label="Objects" columns={columns} rows={rows} rowKey={rowKey} error="No answer." />)
    expect(textsOf(stale.screen, 'td bdi')).toEqual(['a', 'b'])
    expect(find(stale.screen, '[role=alert]').textContent).toContain('No answer.')
  })

  test('of 10,000 rows has fewer than 60 in the document and says how many there are', async () => {
    const { screen, render } = await createDOM()
    const many = Array.from({ length: 10_000 }, (_, index) => ({ key: `k${index}`, size: index }))
    await render(<Table label="Objects" columns={columns} rows={many} rowKey={rowKey} />)
    expect(all(screen, 'tbody tr').length).toBeLessThan(60)
    expect(find(screen, 'table').getAttribute('aria-rowcount')).toBe('10001')
  })

  test('selects one row and all rows', async () => {
    const { screen, render, userEvent } = await createDOM()
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
    const { screen, render, userEvent } = await createDOM()
    await render(<Selection />)
    expect(all(screen, '[role=menuitem]')).toHaveLength(0)
    await userEvent('[aria-label="Actions for b"]', 'click')
    const [remove, restore] = all(screen, '[role=menuitem]')
    await userEvent(restore as Element, 'click')
    expect([restore?.textContent, find(screen, '#chosen').textContent]).toEqual(['RestoreIt is the current version.', ''])
    await userEvent(remove as Element, 'click')
    expect(find(screen, '#chosen').textContent).toBe('delete b')
  })
})

describe('fields', () => {
  test('a control is named by its label and described by help, error and lock', async () => {
    const { screen, render } = await createDOM()
    await render(
      <Field label="Size" help="In GiB." error="Too large." lockedReason="Set by SVC_CACHE.">
        <TextInput value="9" />
      </Field>,
    )
    const input = find(screen, 'input')
    const described = (input.getAttribute('aria-describedby') ?? '')
      .split(' ')
      .map((id) => screen.querySelector(`[id="${id}"]`)?.textContent)
    expect(find(screen, 'label').getAttribute('for')).toBe(input.getAttribute('id'))
    expect(described).toEqual(['In GiB.', 'Too large.', 'Set by SVC_CACHE.'])
    expect([input.getAttribute('aria-invalid'), input.hasAttribute('disabled')]).toEqual(['true', true])
  })

  test('a stepper stays within its limits', async () => {
    const Copies = component$(() => {
      const copies = useSignal(7)
      return (
        <>
          <NumberStepper value={copies} min={1} max={8} aria-label="Copies" />
          <output>{copies.value}</output>
        </>
      )
    })
    const { screen, render, userEvent } = await createDOM()
    await render(<Copies />)
    await userEvent('[aria-label="One more"]', 'click')
    const more = find(screen, '[aria-label="One more"]')
    expect([find(screen, 'output').textContent, more.hasAttribute('disabled')]).toEqual(['8', true])
  })

  test('a locked switch says why and is off for the keyboard', async () => {
    const { screen, render } = await createDOM()
    await render(<Switch label="Access log" lockedReason="Set by SVC_LOG." value={true} />)
    expect([find(screen, 'input').hasAttribute('disabled'), find(screen, 'label').textContent]).toEqual([true, 'Access logSet by SVC_LOG.'])
  })
})

describe('lists and pages', () => {
  test('a filter in effect can be removed', async () => {
    const Filters = component$(() => {
      const removed = useSignal('')
      return (
        <>
          <FilterBar
            active={[{ id: 'status', label: 'Status: failed' }]}
            onRemove$={(id) => {
              removed.value = id
            }}
          />
          <output>{removed.value}</output>
        </>
      )
    })
    const { screen, render, userEvent } = await createDOM()
    await render(<Filters />)
    await userEvent('[aria-label="Remove the filter Status: failed"]', 'click')
    expect(find(screen, 'output').textContent).toBe('status')
  })

  test('a pager is off where there is no page', async () => {
    const { screen, render } = await createDOM()
    await render(<Pager first more={false} onFirst$={$(() => {})} onNext$={$(() => {})} />)
    expect(all(screen, 'button').map((button) => button.hasAttribute('disabled'))).toEqual([true, true])
  })

  test('tabs show which one is chosen and follow a click', async () => {
    const Sections = component$(() => {
      const tab = useSignal('a')
      return (
        <Tabs
          label="Sections"
          value={tab}
          tabs={[
            { id: 'a', label: 'A' },
            { id: 'b', label: 'B', problem: 'has an error' },
          ]}
        >
          {tab.value}
        </Tabs>
      )
    })
    const { screen, render, userEvent } = await createDOM()
    await render(<Sections />)
    const second = all(screen, '[role=tab]')[1] as Element
    expect(second.textContent).toBe('Bhas an error')
    await userEvent(second, 'click')
    expect([find(screen, '[aria-selected=true]').textContent, find(screen, '[role=tabpanel]').textContent]).toEqual(['Bhas an error', 'b'])
  })
})

describe('a confirmation', () => {
  const Typed = component$<{ error?: string }>(({ error }) => {
    const open = useSignal(false)
    const confirmed = useSignal('no')
    return (
      <>
        <Confirm
          open={open}
          level="typed"
          word="media"
          title="Delete?"
          confirmLabel="Delete"
          error={error}
          onConfirm$={$(() => {
            confirmed.value = 'yes'
          })}
        />
        <output>{confirmed.value}</output>
      </>
    )
  })

  test('with a word to type is locked until the word is there, letter by letter', async () => {
    const { screen, render, userEvent } = await createDOM()
    await render(<Typed />)
    const type = async (value: string) => {
      const input = find(screen, 'input') as HTMLInputElement
      input.value = value
      await userEvent(input, 'input')
      return find(screen, 'button[type=submit]').getAttribute('aria-disabled')
    }
    expect([await type('Media'), await type('media '), await type('media')]).toEqual(['true', 'true', null])
  })

  test('keeps an error in view', async () => {
    const { screen, render } = await createDOM()
    await render(<Typed error="Storage work is active." />)
    expect(find(screen, '[role=alert]').textContent).toContain('Storage work is active.')
  })

  test('shows what changes, from and to', async () => {
    const { screen, render } = await createDOM()
    const Review = component$(() => {
      const open = useSignal(false)
      return (
        <Confirm
          open={open}
          level="review"
          title="Change the owner?"
          confirmLabel="Change"
          rows={[{ label: 'Owner', from: 'alice', to: 'bob' }]}
          onConfirm$={$(() => {})}
        />
      )
    })
    await render(<Review />)
    expect(textsOf(screen, 'tbody tr > *')).toEqual(['Owner', 'alice', 'bob'])
  })
})

describe('small parts', () => {
  test('a badge goes where its slot says', async () => {
    const { screen, render } = await createDOM()
    await render(
      <PageHeader title="Bucket">
        <Badge q:slot="badge" tone="danger">
          failed
        </Badge>
      </PageHeader>,
    )
    expect(find(screen, 'h1').parentElement?.textContent).toBe('Bucketfailed')
  })

  test('an amount is cut off, and exact in its title', async () => {
    const { screen, render } = await createDOM()
    await render(<Money amount="1999999999999999999" />)
    expect([screen.textContent, find(screen, 'span').getAttribute('title')]).toEqual(['1.9999 USDFC', '1.999999999999999999 USDFC'])
  })

  test('progress without a total has no percentage', async () => {
    const { screen, render } = await createDOM()
    await render(<Progress label="Looking" value={3} text="3 found so far" />)
    expect([screen.textContent, find(screen, '[role=progressbar]').hasAttribute('aria-valuenow')]).toEqual(['3 found so far', false])
  })

  test('a menu without use has no entries in the document', async () => {
    const { screen, render } = await createDOM()
    await render(<Menu label="Actions" items={[{ id: 'a', label: 'A' }]} />)
    expect(all(screen, '[role=menuitem]')).toHaveLength(0)
  })
})
