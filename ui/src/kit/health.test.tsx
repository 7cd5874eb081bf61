import { expect, test } from 'vitest'
import { HealthBadge, healthReasons } from './health.tsx'
import { createScreen } from './testing/dom.ts'

test('a verdict is one word with its reasons; an unknown reason code is shown as it is', async () => {
  const { screen, render } = await createScreen()
  await render(<HealthBadge health={{ status: 'degraded', reason_codes: ['copy_failed', 'from_a_plugin'], stale: true }} />)
  expect(screen.textContent).toContain('Degraded (out of date)')
  expect(screen.querySelector('[title="a copy failed, from a plugin"]')).toBeTruthy()
  expect(healthReasons([])).toBe('')
})
