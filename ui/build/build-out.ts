import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildInto, type FinishedBuild } from './build-into.ts'
import { listName } from './build-paths.ts'
import { resolveOutFolder } from './out-folder.ts'
import type { UiSource } from './plugin-uis.ts'
import { hashSources } from './sources-hash.ts'

interface BuildMaker {
  /** The svc with whose Admin API the pages work: it serves no build of another one. */
  readonly svc: { readonly version: string; readonly commit: string }
  /** The folder of svc with the sources, which a build must not replace. */
  readonly home: string
}

interface OutBuild extends FinishedBuild {
  readonly folder: string
  /** A folder beside it, whose folder `new` is the build until the caller publishes it. */
  readonly stage: string
}

/**
 * Builds for another folder than `ui/dist`, such as that of a data directory. Does not touch it: the caller, which has its lock, replaces it
 * by the finished build.
 */
export async function buildDashboardInto(out: string, sources: readonly UiSource[], { svc, home }: BuildMaker): Promise<OutBuild> {
  const folder = resolveOutFolder(out, home)
  const stage = mkdtempSync(`${folder}.svc-build-`)
  const built = join(stage, 'new')
  try {
    const finished = await buildInto(built, sources, hashSources(sources))
    writeFileSync(join(built, listName), JSON.stringify({ svc, files: hashFiles(built) }))
    return { ...finished, folder, stage }
  } catch (error) {
    rmSync(stage, { recursive: true, force: true })
    throw error
  }
}

function hashFiles(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(paths.map((path) => [relative(folder, path), createHash('sha256').update(readFileSync(path)).digest('hex')]))
}
