/** Props of compiled components: ui/build/compile-components.ts. */
import { component$, useSignal } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { createScreen, textsOf } from './testing/dom.ts'

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
