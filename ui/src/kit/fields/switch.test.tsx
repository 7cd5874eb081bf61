import { expect, test } from 'vitest'
import { createScreen, find } from '../testing/dom.ts'
import { Switch } from './switch.tsx'

test('a locked switch says why and is off for the keyboard', async () => {
  const { screen, render } = await createScreen()
  await render(<Switch label="Access log" lockedReason="Set by SVC_LOG." value={true} />)
  expect([find(screen, 'input').hasAttribute('disabled'), find(screen, 'label').textContent]).toEqual([true, 'Access logSet by SVC_LOG.'])
})
