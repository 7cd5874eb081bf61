// The process of the service whose lists are measured, run from the checkout given as its argument. Its parent sends what to do next.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

export type ListCommand =
  | { readonly do: 'write' }
  | { readonly do: 'pause' }
  /** Answers with the CPU microseconds of the main thread so far. */
  | { readonly do: 'cpu-time' }
  | { readonly do: 'profile' }
  /** Writes the CPU profile since `profile`. */
  | { readonly do: 'save-profile'; readonly path: string }

export interface ListServiceStarted {
  readonly url: string
  /** Of the bucket of each long list. */
  readonly bucketIds: Readonly<Record<'objects' | 'history' | 'deleted', number>>
}

/** From one turn of uploads to the next. Not after it: services of different speeds get the same writes. */
const writeTurnMs = 15
const writePauseMsMin = 1

const [checkout = '', rowsText, bucketsText, usersText] = process.argv.slice(2)
const rows = Number(rowsText)
const load = (path: string) => import(join(checkout, path))
const { deleteObject, startFilledService, upload } = (await load(
  'e2e/load/filled-service.ts',
)) as typeof import('../e2e/load/filled-service.ts')
const { historyKey, keyAt } = (await load('e2e/load/stored-rows.ts')) as typeof import('../e2e/load/stored-rows.ts')
const { buckets } = (await load('plugins/storage/contract.ts')) as typeof import('#plugins/storage')
const { s3Users } = (await load('plugins/s3/contract.ts')) as typeof import('#plugins/s3')

const svc = await startFilledService(rows)
const bucketService = svc.kernel.get(buckets)
const names = Array.from({ length: Number(bucketsText) }, (_, n) => `many-${n}`)
await Promise.all(names.map((name) => bucketService.create({ name, ownerAccessKey: null })))
await Promise.all(Array.from({ length: Number(usersText) }, () => svc.kernel.get(s3Users).create('user')))

let turn = 0
let isWriting = false
let writing: Promise<void> = Promise.resolve()

async function keepWriting(): Promise<void> {
  for (; isWriting; turn++) {
    const startMs = performance.now()
    const key = `${keyAt((turn * 7919) % rows)}.new`
    await upload(svc, turn % 2 === 0 ? 'objects' : 'deleted', key)
    if (turn % 2 === 1) await deleteObject(svc, 'deleted', key)
    await upload(svc, 'history', historyKey)
    await pause(Math.max(writePauseMsMin, writeTurnMs - (performance.now() - startMs)))
  }
}

const session = new Session()
session.connect()

async function follow(command: ListCommand): Promise<number | undefined> {
  if (command.do === 'write') {
    isWriting = true
    writing = keepWriting()
  } else if (command.do === 'pause') {
    isWriting = false
    await writing
  } else if (command.do === 'cpu-time') {
    const { user, system } = process.threadCpuUsage()
    return user + system
  } else if (command.do === 'profile') {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
  } else {
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(command.path, JSON.stringify(profile))
  }
  return undefined
}

process.on('message', async (command: ListCommand) => {
  process.send?.({ answer: await follow(command) })
})
process.on('disconnect', async () => {
  isWriting = false
  await writing
  await svc.stop()
  process.exit()
})
const idOf = (name: string): number => bucketService.require(name).id
const bucketIds = { objects: idOf('objects'), history: idOf('history'), deleted: idOf('deleted') }
process.send?.({ url: svc.url, bucketIds } satisfies ListServiceStarted)
