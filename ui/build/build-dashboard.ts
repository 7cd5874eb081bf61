import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { build, mergeConfig, type Rollup } from 'vite'
import { LockedError, lockFile } from '../../kernel/system.ts'
import { findBudgetProblem } from './budget-policy.ts'
import { distFolder, draftFolder, indexName, lockPath, stampName } from './build-paths.ts'
import { compressFiles } from './compress.ts'
import { dashboardConfig } from './dashboard-config.ts'
import { findManifestProblems } from './manifest-policy.ts'
import { nameBuild } from './name-build.ts'
import { resolveOutFolder, toDraft } from './out-folder.ts'
import type { UiSource } from './plugin-uis.ts'
import { readManifest } from './read-manifest.ts'
import { hashSources } from './sources-hash.ts'

const waitMs = 600_000
const lookMs = 200

interface BuildFacts {
  /** `fresh`: the sources have not changed since the latest build. */
  readonly outcome: 'built' | 'fresh'
  readonly firstView?: { readonly files: number; readonly bytes: number }
}

/** Builds the dashboard when its sources changed. Of several processes one builds, and the others wait for it. */
export async function ensureDashboard(sources: readonly UiSource[]): Promise<BuildFacts> {
  const hash = hashSources(sources)
  if (builtHash() === hash) return { outcome: 'fresh' }
  using _lock = await waitForLock()
  if (builtHash() === hash) return { outcome: 'fresh' }
  rmSync(draftFolder, { recursive: true, force: true })
  const firstView = await buildInto(draftFolder, sources, hash)
  publishDraft()
  return { outcome: 'built', firstView }
}

/** Builds into another folder than the one that is served, such as for an image. A failed build leaves the folder as it was. */
export async function buildDashboardInto(out: string, sources: readonly UiSource[]): Promise<BuildFacts> {
  const folder = resolveOutFolder(out)
  const draft = toDraft(folder)
  try {
    const firstView = await buildInto(draft, sources, hashSources(sources))
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
    return { outcome: 'built', firstView }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function buildInto(folder: string, sources: readonly UiSource[], hash: string): Promise<NonNullable<BuildFacts['firstView']>> {
  const manifest = await readManifest(sources)
  const problems = findManifestProblems(manifest)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  await build(
    mergeConfig(dashboardConfig(sources), {
      configFile: false,
      logLevel: 'error',
      plugins: [nameBuild(hash)],
      build: { outDir: folder, emptyOutDir: true, rollupOptions: { onLog: dropMergeNotes } },
    }),
  )
  rmSync(join(folder, 'q-manifest.json'), { force: true })
  writeFileSync(join(folder, 'plugins.json'), JSON.stringify(manifest))
  await compressFiles(folder)
  const files = listFirstView(folder)
  const problem = findBudgetProblem(files)
  if (problem) throw new Error(problem)
  writeFileSync(join(folder, stampName), JSON.stringify({ hash }))
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
}

function listFirstView(folder: string): readonly { readonly name: string; readonly bytes: number }[] {
  const html = readFileSync(join(folder, indexName), 'utf8')
  return [...html.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(([, path = '']) => {
    const file = join(folder, path)
    return { name: basename(path), bytes: statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size }
  })
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

/** Rollup prints how it merges small chunks. */
const dropMergeNotes = (level: Rollup.LogLevel, log: Rollup.RollupLog, next: Rollup.LogOrStringHandler): void => {
  if (level !== 'info') next(level, log)
}
