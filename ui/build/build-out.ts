import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { buildInto, type FinishedBuild } from './build-into.ts'
import { listName } from './build-paths.ts'
import { resolveOutFolder, toDraft, toOld } from './out-folder.ts'
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
}

/** Builds into another folder than `ui/dist`, such as that of a data directory. A failed build leaves the folder as it was. */
export async function buildDashboardInto(out: string, sources: readonly UiSource[], { svc, home }: BuildMaker): Promise<OutBuild> {
  const folder = resolveOutFolder(out, home)
  const draft = toDraft(folder)
  try {
    const finished = await buildInto(draft, sources, hashSources(sources))
    writeFileSync(join(draft, listName), JSON.stringify({ svc, files: hashFiles(draft) }))
    publish(draft, folder)
    return { ...finished, folder }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** A gateway that serves the folder must not find half of it. */
function publish(draft: string, folder: string): void {
  const old = toOld(folder)
  rmSync(old, { recursive: true, force: true })
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(draft, folder)
  rmSync(old, { recursive: true, force: true })
}

function hashFiles(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  const paths = entries.map((entry) => join(entry.parentPath, entry.name)).sort()
  return Object.fromEntries(paths.map((path) => [relative(folder, path), createHash('sha256').update(readFileSync(path)).digest('hex')]))
}
