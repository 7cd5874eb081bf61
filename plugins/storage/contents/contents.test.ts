import { expect, test } from 'vitest'
import { getRow } from '#kernel/testing'
import type { ObjectVersion } from '../contract.ts'
import { openVersionStorage, type VersionStorage } from '../testing/version-storage.ts'

const stateOf = async ({ database }: VersionStorage, { contentId }: ObjectVersion) =>
  (await getRow<{ state: string }>(database.read, 'select store_state as state from contents where id = ?', contentId))?.state

async function hold({ contents, database, keeper }: VersionStorage, { contentId }: ObjectVersion, copies: number): Promise<void> {
  keeper.copies.set(contentId ?? 0, copies)
  await database.write((tx) => contents.recount(tx, [contentId ?? 0], 1))
}

test('I-20: a content that loses its last copy is lost unless its bytes are cached, and is not lost once a copy is found or the bytes are put again', async () => {
  await using storage = await openVersionStorage()
  const [evicted, cached] = [await storage.put('evicted', 'one'), await storage.put('cached', 'two')]
  for (const version of [evicted, cached]) await hold(storage, version, 2)
  await storage.uncache(evicted)
  await hold(storage, evicted, 1)
  expect(await stateOf(storage, evicted)).toBe('storing')
  for (const version of [evicted, cached]) await hold(storage, version, 0)
  expect([await stateOf(storage, evicted), await stateOf(storage, cached)]).toEqual(['lost', 'unstored'])
  await storage.expectSound()

  await hold(storage, evicted, 1)
  expect(await stateOf(storage, evicted)).toBe('storing')
  await hold(storage, evicted, 0)
  expect(await stateOf(storage, evicted)).toBe('lost')
  await storage.put('evicted', 'one')
  expect(await stateOf(storage, evicted)).toBe('unstored')
  await storage.expectSound()
})
