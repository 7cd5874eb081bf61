/**
 * The program that `svc plugins build` starts in a copy of the sources, beside links to the build tools of the author: reads what to build
 * from standard input, and prints the facts of the build as JSON.
 */
import { text } from 'node:stream/consumers'
import { buildDashboardInto } from './build-out.ts'
import type { UiSource } from './plugin-uis.ts'

interface StagedBuild {
  readonly out: string
  readonly sources: readonly UiSource[]
  readonly svc: { readonly version: string; readonly commit: string }
  readonly home: string
}

// Readable by all users: its files are served without credentials.
process.umask(0o022)
try {
  const { out, sources, svc, home } = JSON.parse(await text(process.stdin)) as StagedBuild
  process.stdout.write(JSON.stringify(await buildDashboardInto(out, sources, { svc, home })))
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
