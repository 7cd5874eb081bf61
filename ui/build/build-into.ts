/** One build of the dashboard into a folder. Imports nothing of the service: `svc plugins build` runs it beside a copy of the sources. */
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build, mergeConfig, type Rollup } from 'vite'
import { findBudgetProblem } from './budget-policy.ts'
import { indexName, stampName, uiFolder } from './build-paths.ts'
import { compressFiles } from './compress.ts'
import { dashboardConfig } from './dashboard-config.ts'
import { type DashboardPart, findManifestProblems } from './manifest-policy.ts'
import { nameBuild } from './name-build.ts'
import type { UiSource } from './plugin-uis.ts'
import { readManifest } from './read-manifest.ts'

export interface FinishedBuild {
  readonly parts: readonly DashboardPart[]
  readonly firstView: { readonly files: number; readonly bytes: number }
}

/** @param hash of the sources */
export async function buildInto(folder: string, sources: readonly UiSource[], hash: string): Promise<FinishedBuild> {
  const parts = await readManifest(sources)
  const problems = findManifestProblems(parts)
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
  writeFileSync(join(folder, 'plugins.json'), JSON.stringify(parts))
  await compressFiles(folder)
  const files = listFirstView(folder)
  const problem = findBudgetProblem(files, sources.filter(isFurther).length)
  if (problem) throw new Error(problem)
  writeFileSync(join(folder, stampName), JSON.stringify({ hash }))
  return { parts, firstView: { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) } }
}

/** A part of a package of another author. */
const isFurther = ({ module }: UiSource): boolean => !module.startsWith(join(uiFolder, '../plugins/'))

function listFirstView(folder: string): readonly { readonly name: string; readonly bytes: number }[] {
  const html = readFileSync(join(folder, indexName), 'utf8')
  return [...html.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(([, path = '']) => {
    const file = join(folder, path)
    return { name: basename(path), bytes: statSync(existsSync(`${file}.br`) ? `${file}.br` : file).size }
  })
}

/** Rollup prints how it merges small chunks. */
const dropMergeNotes = (level: Rollup.LogLevel, log: Rollup.RollupLog, next: Rollup.LogOrStringHandler): void => {
  if (level !== 'info') next(level, log)
}
