import { expect, test } from 'vitest'
import { createScreen } from '../../../../ui/src/kit/testing/dom.ts'
import type { DataSet } from './describe-data-set.ts'
import { SetState } from './set-state.tsx'

const set = (local_status: string, status: string, reason_codes: readonly string[] = []) =>
  ({ facts: { local_status }, signal: { status, reason_codes, freshness: { stale: false } } }) as unknown as DataSet

test.each([
  ['retired', set('retired', 'available'), 'Retired'],
  ['retired, and the chain still runs it', set('retired', 'degraded', ['chain_data_set_unmanaged']), 'Degraded'],
  ['in use', set('ready', 'available'), 'Available'],
])('the state of a data set that is %s', async (_what, shown, word) => {
  const { screen, render } = await createScreen()
  await render(<SetState set={shown} withoutReasons />)
  expect(screen.textContent).toBe(word)
})
