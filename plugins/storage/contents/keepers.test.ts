import { expect, test } from 'vitest'
import { defineCopyKeeper } from '../contract.ts'
import { createTestKeeper } from '../testing/test-keeper.ts'
import { createKeepers } from './keepers.ts'

test('the latest time that bytes moved is that of all keepers', () => {
  const moved = (atMs: number | undefined) => ({
    item: defineCopyKeeper({ name: `moved ${atMs}`, uses: {}, lastMovedMs: () => atMs }),
    services: {},
  })
  const lastMovedMs = (...times: readonly (number | undefined)[]) =>
    createKeepers(() => [createTestKeeper(), ...times.map(moved)]).lastMovedMs()
  expect(lastMovedMs()).toBe(0)
  expect(lastMovedMs(undefined, 500, 300)).toBe(500)
})
