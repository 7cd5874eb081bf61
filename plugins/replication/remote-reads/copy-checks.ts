import type { Providers } from '#plugins/providers'
import type { CopyChecks } from '../contract.ts'
import { dueDoubts, removeSettledDoubts } from '../standing/doubt-store.ts'
import { type ReportCopyDeps, reportCopy } from '../standing/report-copy.ts'
import { checkCopy } from './check-copy.ts'
import { countCommitted, drawCopies, pageOfCopies } from './draw-copies-store.ts'
import { remoteReadLimits } from './remote-read-limits.ts'

/** A check of a piece of 1 GiB lasts 17 minutes at most: slower than this it says nothing, and other checks go on. */
const limits = { ...remoteReadLimits, bytesPerSecond: 1024 * 1024 }

type CopyChecksDeps = ReportCopyDeps & { readonly providers: Pick<Providers, 'client' | 'report'> }

export function createCopyChecks(deps: CopyChecksDeps): CopyChecks {
  const { database, clock, providers } = deps
  return {
    count: () => countCommitted(database.read),
    draw: (count) => drawCopies(database.read, count),
    page: (after, limit) => pageOfCopies(database.read, after, limit),
    async due(ofProvider) {
      await database.write(removeSettledDoubts)
      return dueDoubts(database.read, clock.now(), ofProvider)
    },
    async check(copy, signal) {
      const check = await checkCopy({ providers, limits }, copy, signal)
      await reportCopy(deps, copy.copyId, check.result)
      return check
    },
  }
}
