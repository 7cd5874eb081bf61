/** Clients that request objects stored only at providers and never read the answer. */
import { randomBytes } from 'node:crypto'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServeProcess } from '../fixtures/gateways/serve-process.ts'
import { type Stage, type StoredObject, stageBucket, startProcessStage } from '../fixtures/gateways/stage.ts'
import { mib, readResidentMemory, resetPeak } from '../load/resident-memory.ts'

const unreadMax = 64
/** Limit of all remote reads (64 MiB) plus the answers buffered for clients. */
const growthMax = 128 * mib

let stage: Stage<ServeProcess>
let objects: readonly StoredObject[]

beforeAll(async () => {
  stage = await startProcessStage({ providers: 2, copies: 1, settings: { 'cache.fill_on_read': false } })
  objects = [await stage.put(randomBytes(7 * mib)), await stage.put(randomBytes(20 * mib))]
  for (const object of objects) await stage.stored(object)
  expect(stage.emptyCache()).toBeGreaterThan(0)
})

afterAll(() => stage?.[Symbol.asyncDispose]())

test.skipIf(process.platform !== 'linux')(
  '64 clients that do not read keep the gateway memory bounded and do not block clients that read',
  async () => {
    // Warm-up: the first reads grow buffers to their usual size.
    for (const object of objects) expect((await stage.get(object)).equals(object.bytes)).toBe(true)
    const user = await stage.gateway.createUser()
    // One SDK client opens fewer connections than these reads need.
    const clients = [0, 1, 2, 3].map(() => stage.gateway.connect(user))
    resetPeak(stage.gateway.pid)
    const resting = readResidentMemory(stage.gateway.pid)
    const unread = await Promise.all(
      Array.from({ length: unreadMax }, async (_, at) => {
        const object = objects[at % objects.length] as StoredObject
        const start = (at * 300_007) % (object.bytes.length / 2)
        const command = new GetObjectCommand({ Bucket: stageBucket, Key: object.key, Range: `bytes=${start}-` })
        const { Body } = (await clients[at % clients.length]?.send(command)) ?? {}
        return { Body, wanted: object.bytes.subarray(start) }
      }),
    )
    for (const object of objects) expect((await stage.get(object)).equals(object.bytes)).toBe(true)
    const { peakBytes } = readResidentMemory(stage.gateway.pid)
    expect((peakBytes - resting.bytes) / mib).toBeLessThan(growthMax / mib)
    // A client that reads late gets the correct bytes.
    const [late, ...others] = unread
    expect(Buffer.from((await late?.Body?.transformToByteArray()) ?? []).equals(late?.wanted ?? Buffer.alloc(0))).toBe(true)
    for (const { Body } of others) (Body as { destroy?: () => void } | undefined)?.destroy?.()
    for (const client of clients) client.destroy()
  },
  120_000,
)
