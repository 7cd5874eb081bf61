import { expect, test } from 'vitest'
import { Money } from './figures.tsx'
import { createScreen, find } from './testing/dom.ts'

test('an amount is cut off, and exact in its title', async () => {
  const { screen, render } = await createScreen()
  await render(<Money amount="1999999999999999999" />)
  expect([screen.textContent, find(screen, 'span').getAttribute('title')]).toEqual(['1.9999 USDFC', '1.999999999999999999 USDFC'])
})
