import { component$, useSignal } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { createScreen, find } from '../testing/dom.ts'
import { FilterBar } from './filter-bar.tsx'

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
  const { screen, render, userEvent } = await createScreen()
  await render(<Filters />)
  await userEvent('[aria-label="Remove the filter Status: failed"]', 'click')
  expect(find(screen, 'output').textContent).toBe('status')
})
