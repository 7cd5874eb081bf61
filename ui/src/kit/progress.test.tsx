import { expect, test } from 'vitest'
import { Progress } from './progress.tsx'
import { createScreen, find } from './testing/dom.ts'

test('progress without a total has no percentage', async () => {
  const { screen, render } = await createScreen()
  await render(<Progress label="Looking" value={3} text="3 found so far" />)
  expect([screen.textContent, find(screen, '[role=progressbar]').hasAttribute('aria-valuenow')]).toEqual(['3 found so far', false])
})
