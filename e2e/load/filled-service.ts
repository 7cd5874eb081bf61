/** The whole service in this process, with long lists. Its chain node is unreachable; lists do not need it. */
import { randomBytes } from 'node:crypto'
import { database } from '#kernel'
import { type TestKernel, type TestKernelOptions, testKernel } from '#kernel/testing'
import { buckets } from '#plugins/storage'
import { builtinPlugins } from '../../plugins/index.ts'
import { insertTasks, insertVersions } from './stored-rows.ts'

/** Three buckets, named after their long list (objects, history, deleted), and tasks: `rows` of each. */
export async function startFilledService(
  rows: number,
  { config, clock }: Pick<TestKernelOptions, 'config' | 'clock'> = {},
): Promise<TestKernel> {
  const svc = await testKernel({
    plugins: builtinPlugins,
    ...(clock ? { clock } : {}),
    config: {
      'server.port': '127.0.0.1:0',
      'chain.network': 'calibration',
      'chain.rpc_url': 'http://127.0.0.1:9',
      'chain.private_key': randomBytes(32).toString('hex'),
      ...config,
    },
  })
  try {
    const db = svc.kernel.get(database)
    for (const as of ['objects', 'history', 'deleted'] as const) {
      const { id } = await svc.kernel.get(buckets).create({ name: as, ownerAccessKey: null })
      await insertVersions(db, { as, bucketId: id, rows })
    }
    await insertTasks(db, rows)
    return svc
  } catch (error) {
    await svc.stop()
    throw error
  }
}

/** Uploads a small object through the Admin API. */
export async function upload(svc: TestKernel, bucket: string, key: string): Promise<void> {
  const reply = await svc.fetch(`${objectsOf(bucket)}/upload?key=${encodeURIComponent(key)}`, { method: 'POST', body: randomBytes(200) })
  if (reply.status !== 200) throw new Error(`the upload failed: ${reply.status} ${await reply.text()}`)
  await reply.arrayBuffer()
}

/** Deletes the current version of a key through the Admin API, which adds a delete marker. */
export async function deleteObject(svc: TestKernel, bucket: string, key: string): Promise<void> {
  const reply = await svc.call('DELETE', `${objectsOf(bucket)}?key=${encodeURIComponent(key)}`)
  if (reply.status !== 200) throw new Error(`the deletion failed: ${reply.status} ${JSON.stringify(reply.body)}`)
}

export const objectsOf = (bucket: string): string => `/api/v1/buckets/${bucket}/objects`
