import { expect, test } from 'vitest'
import { metricCollectors } from '#kernel'
import { contributions } from '#kernel/system'
import { testKernel } from '#kernel/testing'
import { providersPlugin } from '../../providers/plugin.ts'
import { storagePlugin } from '../../storage/plugin.ts'
import { walletPlugin } from '../../wallet/plugin.ts'
import { replicationPlugin } from '../plugin.ts'

const mib = 1024 * 1024
const config = {
  'chain.network': 'calibration',
  'chain.rpc_url': 'http://127.0.0.1:9',
  'chain.private_key': '11'.repeat(32),
}

test('memory of piece CIDs and of reads from providers is shown with its limit, and of page caches the limit only', async () => {
  await using svc = await testKernel({ plugins: [storagePlugin, walletPlugin, providersPlugin, replicationPlugin], config })
  const read = async (family: string) => {
    const found = svc.kernel
      .get(contributions)
      .to(metricCollectors)
      .find(({ item }) => item.name === family)
    const samples = (await found?.item.collect(found.services)) ?? []
    return new Map(samples.map(({ labels, value }) => [labels.part, value]))
  }
  const [budget, used] = [await read('svc_memory_budget_bytes'), await read('svc_memory_used_bytes')]
  expect([budget.get('remote_reads'), used.get('remote_reads')]).toEqual([64 * mib, 0])
  expect((budget.get('piece_threads') as number) % (68 * mib)).toBe(0)
  expect(used.get('piece_threads')).toBe(0)
  expect(budget.get('database_pages')).toBe(48 * mib)
  expect(used.has('database_pages')).toBe(false)
})
