import type { Resolved, Uses } from '../core/service.ts'
import { within } from '../core/within.ts'
import type { Reader } from '../db/database.ts'
import { ReadingThread } from '../db/reading-thread.ts'
import { defineErrors, SvcError } from '../errors.ts'
import { type DoctorCheck, type DoctorFix, fixErrors, type LookPage } from './check.ts'
import type { Doctor, LookRequest } from './service.ts'

const doctorErrors = defineErrors({
  doctor_check_not_found: { status: 404, message: 'No plugin has a check with this name; svc doctor --list shows the names.' },
  doctor_fix_not_found: { status: 404, message: 'No plugin has a fix with this name.' },
  doctor_check_failed: { status: 503, message: 'The check could not run; it is not known whether something is damaged.' },
  doctor_check_late: { status: 503, message: 'The check did not end in time; try again when the machine has less to do.' },
  doctor_busy: { status: 503, message: 'Too many checks run at the same time; try again in a minute.' },
})

/** Longest time of one page of a check. */
const lookMs = 120_000
/** Pages of all callers at the same time. */
const looksMax = 4
/** An unused reading thread ends after this time. */
const idleMs = 10_000

/** A contribution whose services are resolved when it is used. */
export interface Bound<C> {
  readonly item: C
  services(): Resolved<Uses> | Promise<Resolved<Uses>>
}

interface DoctorDeps {
  readonly checks: () => readonly Bound<DoctorCheck>[]
  readonly fixes: () => readonly Bound<DoctorFix>[]
  /** File of the SQLite database; undefined on PostgreSQL, whose reads do not block. */
  readonly databasePath: string | undefined
  readonly read: Reader
  readonly isOnline: boolean
  /** Longest time of one page of a check, in milliseconds. */
  readonly lateMs?: number
}

export function createDoctor({ checks, fixes, databasePath, read, isOnline, lateMs = lookMs }: DoctorDeps): Doctor & Disposable {
  const threads = databasePath === undefined ? undefined : createThreads(databasePath)
  let running = 0

  async function look(name: string, { after, sample }: LookRequest): Promise<LookPage> {
    const found = checks().find(({ item }) => item.name === name)
    if (!found) throw doctorErrors.doctor_check_not_found()
    if (running >= looksMax) throw doctorErrors.doctor_busy({ retryAfterSeconds: lookMs / 1000 })
    running += 1
    const stop = new AbortController()
    const thread = threads?.take()
    const reader = thread ?? readUntil(stop.signal, read)
    const page = (async () => found.item.look(await found.services(), { read: reader, after, sample, isOnline, signal: stop.signal }))()
    // A late page runs until its current statement or request has ended, and counts until then.
    const free = () => {
      running -= 1
      threads?.release()
    }
    page.then(free, free)
    try {
      return await within(lateMs, page, () => {
        const late = doctorErrors.doctor_check_late({ message: `${name} did not end within ${lateMs / 1000} s` })
        stop.abort(late)
        thread?.stop(late)
        throw late
      })
    } catch (error) {
      if (error instanceof SvcError) throw error
      throw doctorErrors.doctor_check_failed({ message: (error as Error).message, cause: error })
    }
  }

  return {
    checks: () =>
      checks().map(({ item: { name, title, proves, cost, needs } }) => ({ name, title, proves, cost, ...(needs && { needs }) })),
    look,
    async fix(name, target) {
      const found = fixes().find(({ item }) => item.name === name)
      if (!found) throw doctorErrors.doctor_fix_not_found()
      const { form, pattern } = found.item.target
      if (!pattern.test(target)) throw fixErrors.doctor_fix_target_invalid({ message: `the target of ${name} is ${form}` })
      return found.item.apply(await found.services(), target)
    },
    [Symbol.dispose]: () => threads?.[Symbol.dispose](),
  }
}

/** Refuses statements after the signal. */
function readUntil(signal: AbortSignal, read: Reader): Reader {
  const refuse = () => signal.throwIfAborted()
  return {
    async get(...call) {
      refuse()
      return read.get(...call)
    },
    async all(...call) {
      refuse()
      return read.all(...call)
    },
  }
}

/** One reading thread for all pages; it ends when it is not used for a while. */
function createThreads(path: string) {
  let thread: ReadingThread | undefined
  let users = 0
  let idle: NodeJS.Timeout | undefined
  const close = () => {
    clearTimeout(idle)
    thread?.[Symbol.dispose]()
    thread = undefined
  }
  return {
    take(): ReadingThread {
      clearTimeout(idle)
      users += 1
      if (!thread?.isOpen) thread = new ReadingThread(path)
      return thread
    },
    release(): void {
      users -= 1
      if (users === 0) idle = setTimeout(close, idleMs).unref()
    },
    [Symbol.dispose]: close,
  }
}
