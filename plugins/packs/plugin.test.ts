import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { database } from '#kernel'
import { getRow, testKernel } from '#kernel/testing'
import { buckets, objects, packs } from '#plugins/storage'
import { storagePlugin } from '../storage/plugin.ts'
import { chunksOf, plainHeaders } from '../storage/testing/object-storage.ts'
import { createVaultPlugin } from '../storage/testing/vault-plugin.ts'
import { packsPlugin } from './plugin.ts'

async function start(dir: string, { isPacked, idle = '1h' }: { readonly isPacked: boolean; readonly idle?: string }) {
  const vault = createVaultPlugin('vault', 1)
  const plugins = [storagePlugin, vault.plugin, packsPlugin]
  const config = { 'packs.default': 'small', 'packs.idle': idle, 'plugins.disabled': isPacked ? [] : ['packs'] }
  const svc = await testKernel({ plugins, dir, config })
  const { kernel } = svc
  return {
    svc,
    wanted: () => kernel.get(vault.vault).wanted,
    async put(key: string): Promise<number> {
      const body = Buffer.from(`the bytes of ${key} are longer than the smallest object: `.repeat(4))
      const version = await kernel
        .get(objects)
        .put({ bucket: 'photos', key, body: chunksOf(body), size: body.length, headers: plainHeaders })
      return version.contentId ?? 0
    },
    count: async (table: string) =>
      Number((await getRow<{ n: number }>(kernel.get(database).read, `select count(*) as n from ${table}`))?.n),
  }
}

test('a new bucket is packed as the setting says; without the plugin, what waits is given to the keepers, and packs stay', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'svc-packs-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const first = await start(dir, { isPacked: true, idle: '50ms' })
  await first.svc.kernel.get(buckets).create({ name: 'photos', ownerAccessKey: null })
  const a = await first.put('a')
  await expect.poll(() => first.wanted().length).toBe(1)
  expect(first.wanted()).not.toContain(a)
  await first.svc.stop()

  const second = await start(dir, { isPacked: true })
  const b = await second.put('b')
  expect(await second.svc.kernel.get(packs).sumWaiting(second.svc.kernel.get(database).read, 1)).toMatchObject({ contents: 1 })
  expect(second.wanted()).not.toContain(b)
  await second.svc.stop()

  const third = await start(dir, { isPacked: false })
  expect(third.wanted()).toEqual([b])
  const c = await third.put('c')
  expect(third.wanted()).toEqual([b, c])
  expect([await third.count('waiting_members'), await third.count('pack_members')]).toEqual([0, 1])
  await third.svc.stop()
})
