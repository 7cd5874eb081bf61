import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '../core/clock.ts'
import type { Resolved, Uses } from '../core/service.ts'
import { silentLog } from '../log/log.ts'
import type { Outcome } from '../tasks/outcome.ts'
import type { TaskKind } from '../tasks/task.ts'

interface ConformanceCase<A> {
  readonly kind: TaskKind<A>
  readonly args: A
  /** Services for the kind's `uses`. */
  readonly services: Resolved<Uses>
  /** Everything the task may change, as plain values. */
  snapshot(): unknown
}

/** Most consecutive runs while the task waits. */
const waitsMax = 20

/**
 * Checks the engine's assumptions about a task kind: its arguments survive JSON, its subject has a type and key, and a second complete
 * run changes nothing (I-09). Throws an error that names the violation.
 */
export async function checkTaskKind<A>({ kind, args, services, snapshot }: ConformanceCase<A>): Promise<void> {
  const recorded = JSON.parse(JSON.stringify(args)) as A
  if (!isDeepStrictEqual(recorded, args)) throw new Error(`'${kind.kind}': its arguments change when they are recorded as JSON`)
  kind.args.assert(recorded)
  const subject = kind.subject(recorded)
  if (subject.type === '' || subject.key === '') throw new Error(`'${kind.kind}': its subject has no type or no key`)
  const first = await runToEnd(kind, recorded, services)
  const before = structuredClone(await snapshot())
  const second = await runToEnd(kind, recorded, services)
  const after = await snapshot()
  if (first !== second) throw new Error(`'${kind.kind}': the first run came to '${first}', the second to '${second}'`)
  if (!isDeepStrictEqual(after, before)) {
    throw new Error(`'${kind.kind}': a second run changed ${JSON.stringify(before)} into ${JSON.stringify(after)}`)
  }
}

async function runToEnd<A>(kind: TaskKind<A>, args: A, services: Resolved<Uses>): Promise<Outcome['kind']> {
  const { signal } = new AbortController()
  let nowMs = systemClock.now()
  for (let waits = 0; waits < waitsMax; waits++) {
    const outcome = await kind.run({
      id: 1,
      args,
      services,
      attempts: 0,
      nowMs,
      log: silentLog,
      signal,
      fence: (database) => database,
      holdLease: async () => {},
      progressed() {},
    })
    if (outcome.kind !== 'wait') return outcome.kind
    nowMs = Math.max(nowMs, outcome.untilMs)
  }
  throw new Error(`'${kind.kind}': still waits after ${waitsMax} runs`)
}
