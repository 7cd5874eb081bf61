import type { Providers } from '#plugins/providers'
import type { CopyChecks } from '../contract.ts'
import { dueDoubts, removeSettledDoubts } from '../standing/doubt-store.ts'
import { type ReportCopyDeps, reportCopy } from '../standing/report-copy.ts'
import { checkCopy } from './check-copy.ts'
import { countCommitted, drawCopies, pageOfCopies } from './draw-copies-store.ts'
import { remoteReadLimits } from './remote-read-limits.ts'

type CopyChecksDeps = ReportCopyDeps & { readonly providers: Pick<Providers, 'client' | 'report'> }

export function createCopyChecks(deps: CopyChecksDeps): CopyChecks {
  const { database, clock, providers } = deps
  return {
    count: () => countCommitted(database.read),
    draw: (count) => drawCopies(database.read, count),
    page: (after, limit) => pageOfCopies(database.read, after, limit),
    async due(limit) {
      await database.write(removeSettledDoubts)
      return dueDoubts(database.read, clock.now(), limit)
    },
    async check(copy, signal) {
      const check = await checkCopy({ providers, limits: remoteReadLimits }, copy, signal)
      await reportCopy(deps, copy.copyId, check.result)
      return check
    },
  }
}
