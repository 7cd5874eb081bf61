/** Props of compiled components: ui/build/compile-components.ts. */
import { component$, useSignal } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { Lanes, type LanesData } from '../charts/index.ts'
import { createScreen, find, textsOf } from './testing/dom.ts'

const Size = component$<{ bytes: number }>(({ bytes }) => <b>{bytes}</b>)

test('a component shows the new value of a member of a row', async () => {
  const List = component$(() => {
    const answer = useSignal([{ id: 'a', bytes: 1 }])
    const last = answer.value.at(-1) ?? { bytes: 0 }
    return (
      <>
        {answer.value.map((row) => (
          <Size key={row.id} bytes={row.bytes} />
        ))}
        <Size bytes={last.bytes} />
        <button
          type="button"
          onClick$={() => {
            answer.value = [{ id: 'a', bytes: 2 }]
          }}
        >
          Ask again
        </button>
      </>
    )
  })
  const { screen, render, userEvent } = await createScreen()
  await render(<List />)
  expect(textsOf(screen, 'b')).toEqual(['1', '1'])
  await userEvent('button', 'click')
  expect(textsOf(screen, 'b')).toEqual(['2', '2'])
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
