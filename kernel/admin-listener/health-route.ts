import type { FastifyInstance } from 'fastify'
import type { ContributedItem } from '../core/contributions.ts'
import type { Mode } from '../core/mode.ts'
import type { HealthCheck } from '../health/health.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import type { Log } from '../log/log.ts'
import { type } from '../schema.ts'

type BoundCheck = Pick<ContributedItem<HealthCheck>, 'item' | 'services'>

export interface HealthSources {
  readonly checks: readonly BoundCheck[]
  /** Time for each check. Default: 3 s, below the 5 s that container probes usually wait. */
  readonly checkMs?: number
}

export const showHealth = defineEndpoint({
  method: 'GET',
  path: '/healthz',
  summary: 'Health of the service, for probes; 503 while it is unhealthy',
  answer: type({
    status: "'ok' | 'setup' | 'unhealthy'",
    /** Problems, sorted. */
    'errors?': 'string[]',
  }),
  alsoStatus: 503,
})

type HealthReport = typeof showHealth.answer.infer

const defaultCheckMs = 3000

/** GET /healthz, without authentication: 200 `ok` or `setup`, 503 `unhealthy`. */
export function registerHealth(app: FastifyInstance, mode: Mode, sources: HealthSources, log: Log): void {
  let running: Promise<HealthReport> | undefined
  app.get(showHealth.path, async (_request, reply) => {
    // Unauthenticated, so concurrent calls share one round of checks.
    running ??= examine(mode, sources, log).finally(() => {
      running = undefined
    })
    const report = await running
    return reply
      .header('cache-control', 'no-store')
      .code(report.status === 'unhealthy' ? 503 : 200)
      .send(report)
  })
}

async function examine(mode: Mode, sources: HealthSources, log: Log): Promise<HealthReport> {
  if (mode === 'setup') return { status: 'setup' }
  const { checks, checkMs = defaultCheckMs } = sources
  const answers = await Promise.all(checks.map((check) => runCheck(check, checkMs, log)))
  const errors = answers.filter((problem) => problem !== undefined).sort()
  return errors.length === 0 ? { status: 'ok' } : { status: 'unhealthy', errors }
}

/** Resolves to the problem, or undefined. */
async function runCheck({ item, services }: BoundCheck, checkMs: number, log: Log): Promise<string | undefined> {
  const signal = AbortSignal.timeout(checkMs)
  const late = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    return await Promise.race([item.check(services, signal), late])
  } catch (error) {
    // The report names only the part; the cause goes to the operator's log.
    log.warn('a health check failed', { check: item.name, error })
    return item.otherwise ?? `${item.name}: not responding`
  }
}
