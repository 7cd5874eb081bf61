import { component$, useSignal } from '@builder.io/qwik'
import { expect, test } from 'vitest'
import { createScreen, find } from '../testing/dom.ts'
import { NumberStepper } from './number-stepper.tsx'

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
  const { screen, render, userEvent } = await createScreen()
  await render(<Copies />)
  await userEvent('[aria-label="One more"]', 'click')
  const more = find(screen, '[aria-label="One more"]')
  expect([find(screen, 'output').textContent, more.hasAttribute('disabled')]).toEqual(['8', true])
})
