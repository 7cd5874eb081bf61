import { $, component$, useSignal } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { all, createScreen, find } from '../../../../ui/src/kit/testing/dom.ts'
import { Lanes } from './lanes.tsx'
import type { LanesData, NodeRef } from './lanes-policy.ts'

const data: LanesData = {
  buckets: [{ id: 'm', label: 'media', tone: 'success', state: 'healthy' }],
  sets: [{ id: '1', bucket: 'm', provider: '9', label: 'Data set 1', tone: 'danger', state: 'lost', retired: true }],
  providers: [{ id: '9', label: '<b>north</b>', tone: 'warning', state: 'slow' }],
}

test('the map has the same facts as text and as table', async () => {
  const { screen, render, userEvent } = await createScreen()
  await render(<Lanes label="Map" data={data} />)
  expect(find(screen, 'figure > div').textContent).toBe('Map. 1 bucket on 1 data set of 1 provider. Data set 1: lost, <b>north</b>: slow')
  expect(all(screen, 'table')).toEqual([])
  await userEvent('[aria-label$="as table"]', 'click')
  expect(all(screen, 'tr').map((row) => Array.from(row.children).map((cell) => cell.textContent))).toEqual([
    ['Bucket', 'Data set', 'Provider', 'State'],
    ['media', 'Data set 1', '<b>north</b>', 'lost, replaced'],
  ])
})

test('a node of the map can be chosen, and its text is never markup', async () => {
  const Chosen = component$(() => {
    const chosen = useSignal<NodeRef>()
    return (
      <>
        <Lanes
          label="Map"
          data={data}
          selected={chosen.value}
          onSelect$={$((node: NodeRef) => {
            chosen.value = node
          })}
        />
        <output>{chosen.value}</output>
      </>
    )
  })
  const { screen, render, userEvent } = await createScreen()
  await render(<Chosen />)
  expect(all(screen, 'b')).toEqual([])
  await userEvent('[title="<b>north</b>: slow"]', 'click')
  expect([find(screen, 'output').textContent, find(screen, '[aria-pressed=true] bdi').textContent]).toEqual(['provider:9', '<b>north</b>'])
})

test('the nodes of the map follow a new answer', async () => {
  const ReplicaMap = component$(() => {
    const state = useSignal('creating')
    const data: LanesData = {
      buckets: [],
      sets: [{ id: '1', bucket: 'm', provider: '9', label: 'Data set 1', tone: 'neutral', state: state.value }],
      providers: [{ id: '9', label: 'north', tone: 'neutral', state: state.value }],
    }
    return (
      <>
        <Lanes label="Map" data={data} />
        <button
          type="button"
          id="ask"
          onClick$={() => {
            state.value = 'ready'
          }}
        >
          Ask again
        </button>
      </>
    )
  })
  const { screen, render, userEvent } = await createScreen()
  await render(<ReplicaMap />)
  expect(find(screen, '[aria-label="Map: map"]').textContent).toContain('creating')
  await userEvent('#ask', 'click')
  expect(find(screen, '[aria-label="Map: map"]').textContent).not.toContain('creating')
})
