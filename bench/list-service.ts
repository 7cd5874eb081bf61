// The process of the service whose lists are measured, run from the checkout given as its argument. Its parent sends what to do next.
import { writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'

export type ListCommand =
  /** Answers with the CPU microseconds of the main thread so far. */
  | { readonly do: 'cpu-time' }
  | { readonly do: 'profile' }
  /** Writes the CPU profile since `profile`. */
  | { readonly do: 'save-profile'; readonly path: string }

export interface ListServiceStarted {
  readonly url: string
  /** Id of the bucket of each long list. */
  readonly bucketIds: Readonly<Record<'objects' | 'history' | 'deleted', number>>
}

const [checkout = '', rowsText, bucketsText, usersText] = process.argv.slice(2)
const rows = Number(rowsText)
const load = (path: string) => import(join(checkout, path))
const { startFilledService } = (await load('e2e/load/filled-service.ts')) as typeof import('../e2e/load/filled-service.ts')
const { buckets } = (await load('plugins/storage/contract.ts')) as typeof import('#plugins/storage')
const { s3Users } = (await load('plugins/s3/contract.ts')) as typeof import('#plugins/s3')

const svc = await startFilledService(rows)
const bucketService = svc.kernel.get(buckets)
const names = Array.from({ length: Number(bucketsText) }, (_, n) => `many-${n}`)
await Promise.all(names.map((name) => bucketService.create({ name, ownerAccessKey: null })))
await Promise.all(Array.from({ length: Number(usersText) }, () => svc.kernel.get(s3Users).create('user')))

const session = new Session()
session.connect()

async function follow(command: ListCommand): Promise<number | undefined> {
  if (command.do === 'cpu-time') {
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
  await svc.stop()
  process.exit()
})
const idOf = (name: string): number => bucketService.require(name).id
const bucketIds = { objects: idOf('objects'), history: idOf('history'), deleted: idOf('deleted') }
process.send?.({ url: svc.url, bucketIds } satisfies ListServiceStarted)
