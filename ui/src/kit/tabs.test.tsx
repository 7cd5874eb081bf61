import { component$, useSignal } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { Tabs } from './tabs.tsx'
import { all, createScreen, find } from './testing/dom.ts'

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
  const { screen, render, userEvent } = await createScreen()
  await render(<Sections />)
  const second = all(screen, '[role=tab]')[1] as Element
  expect(second.textContent).toBe('Bhas an error')
  await userEvent(second, 'click')
  expect([find(screen, '[aria-selected=true]').textContent, find(screen, '[role=tabpanel]').textContent]).toEqual(['Bhas an error', 'b'])
})
