import { expect, test } from 'vitest'
import { createScreen, find } from '../../../../ui/src/kit/testing/dom.ts'
import { ReplicaStrip } from './replica-strip.tsx'

test('a strip of copies names each state', async () => {
  const { screen, render } = await createScreen()
  await render(<ReplicaStrip slots={[{ state: 'stored', name: 'north' }, { state: 'failed' }]} text />)
  expect(find(screen, '[role=img]').getAttribute('aria-label')).toBe('1 of 2 copies stored. north: stored, Copy 2: failed')
  expect(screen.textContent).toBe('1 of 2')
})
