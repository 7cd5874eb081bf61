import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { LockedError, lockFile } from '../../kernel/system.ts'
import { buildInto, type FinishedBuild } from './build-into.ts'
import { distFolder, draftFolder, lockPath, stampName } from './build-paths.ts'
import type { UiSource } from './plugin-uis.ts'
import { hashSources } from './sources-hash.ts'

const waitMs = 600_000
const lookMs = 200

interface BuildFacts {
  /** `fresh`: the sources have not changed since the latest build. */
  readonly outcome: 'built' | 'fresh'
  readonly firstView?: FinishedBuild['firstView']
}

/** Builds the dashboard when its sources changed. Of several processes one builds, and the others wait for it. */
export async function ensureDashboard(sources: readonly UiSource[]): Promise<BuildFacts> {
  const hash = hashSources(sources)
  if (builtHash() === hash) return { outcome: 'fresh' }
  using _lock = await waitForLock()
  if (builtHash() === hash) return { outcome: 'fresh' }
  rmSync(draftFolder, { recursive: true, force: true })
  const { firstView } = await buildInto(draftFolder, sources, hash)
  publishDraft()
  return { outcome: 'built', firstView }
}

/** A running server keeps index.html in memory until its time changes, and new assets have new names. */
function publishDraft(): void {
  const old = `${distFolder}-old`
  rmSync(old, { recursive: true, force: true })
  if (existsSync(distFolder)) renameSync(distFolder, old)
  renameSync(draftFolder, distFolder)
  rmSync(old, { recursive: true, force: true })
}

function builtHash(): string | undefined {
  const stamp = join(distFolder, stampName)
  return existsSync(stamp) ? (JSON.parse(readFileSync(stamp, 'utf8')) as { hash?: string }).hash : undefined
}

async function waitForLock(): Promise<Disposable> {
  const endMs = Date.now() + waitMs
  for (;;) {
    try {
      return lockFile(lockPath)
    } catch (error) {
      if (!(error instanceof LockedError)) throw error
      if (Date.now() > endMs)
        throw new Error(`another process has built the dashboard for ${waitMs / 1000} s: end it, then try again`, { cause: error })
      await delay(lookMs)
    }
  }
}
