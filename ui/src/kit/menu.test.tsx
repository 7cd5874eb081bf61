import { expect, test } from 'vitest'
import { Menu } from './menu.tsx'
import { all, createScreen } from './testing/dom.ts'

test('a menu without use has no entries in the document', async () => {
  const { screen, render } = await createScreen()
  await render(<Menu label="Actions" items={[{ id: 'a', label: 'A' }]} />)
  expect(all(screen, '[role=menuitem]')).toHaveLength(0)
})
