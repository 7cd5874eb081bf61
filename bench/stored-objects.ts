// Puts objects into a gateway process, and waits for their copies.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { readResidentMemory } from '../e2e/load/resident-memory.ts'
import type { Gateway } from './bench-server.ts'
import { createObjectRequests } from './object-requests.ts'
import { RawConnection } from './raw-connection.ts'

const connections = 32
const pollMs = 250

export interface Puts {
  readonly objects: number
  /** Size of each object. */
  readonly bytes: number
}

export async function putObjects(
  { port, bucket, user }: Pick<Gateway, 'port' | 'bucket' | 'user'>,
  { objects, bytes }: Puts,
): Promise<void> {
  const requests = createObjectRequests({ objectBytes: bytes, bucket, user })
  using open = new DisposableStack()
  let left = objects
  const keepBusy = async (): Promise<void> => {
    const connection = open.use(await RawConnection.open(port))
    while (left > 0) {
      left -= 1
      const [object] = requests.prepare(port, 1)
      if (object) await connection.exchange(object.put, { bodyBytes: 0 })
    }
  }
  await Promise.all(Array.from({ length: Math.min(connections, objects) }, keepBusy))
}

interface Step {
  /** Put so far. */
  readonly objects: number
  /** Resident memory of the gateway. */
  readonly bytes: number
}

/** Puts the objects in so many steps. Returns the memory after each. */
export async function putInSteps(gateway: Gateway, { objects, bytes }: Puts, steps: number): Promise<readonly Step[]> {
  const growth: Step[] = []
  for (let put = 0; put < objects; ) {
    const step = Math.min(Math.ceil(objects / steps), objects - put)
    await putObjects(gateway, { objects: step, bytes })
    put += step
    growth.push({ objects: put, bytes: readResidentMemory(gateway.pid).bytes })
  }
  return growth
}

interface CopyCounts extends Disposable {
  committed(): number
}

/** Counts in the gateway's database file, which costs the gateway no CPU; of all buckets, unless one is named. */
export function openCounts({ dir }: Pick<Gateway, 'dir'>, bucket?: string): CopyCounts {
  const database = new DatabaseSync(join(dir, 'db', 'svc.db'), { readOnly: true })
  const count = database.prepare(
    `select coalesce(sum(t.committed_copies), 0) as n from data_set_totals t join data_sets d on d.id = t.data_set_id
     join buckets b on b.id = d.bucket_id where ? is null or b.name = ?`,
  )
  return { committed: () => Number(count.get(bucket ?? null, bucket ?? null)?.n), [Symbol.dispose]: () => database.close() }
}

export const waitForCopies = (counts: CopyCounts, wanted: number, withinMs: number): Promise<void> =>
  waitForCount(counts.committed, wanted, { withinMs, what: 'copies were committed' })

/** `what` ends the message of the error, after the two counts. */
export async function waitForCount(
  read: () => number,
  wanted: number,
  { withinMs, what }: { readonly withinMs: number; readonly what: string },
): Promise<void> {
  const deadline = performance.now() + withinMs
  for (;;) {
    const count = read()
    if (count >= wanted) return
    if (performance.now() > deadline) throw new Error(`${count} of ${wanted} ${what} within ${withinMs} ms`)
    await pause(pollMs)
  }
}
