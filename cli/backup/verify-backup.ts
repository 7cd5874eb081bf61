import { join } from 'node:path'
import { CommandError } from '#kernel'
import { sumsName } from './backup-layout.ts'
import { sha256OfFile } from './copy-file.ts'
import { inParallel } from './in-parallel.ts'
import type { Manifest } from './manifest.ts'
import { pagesOfSums } from './sums.ts'

/** Problems that are listed; all are counted. */
const listedMax = 100

interface Verified {
  readonly compared: number
  readonly problems: readonly { readonly path: string; readonly problem: 'missing' | 'damaged' }[]
  readonly problemCount: number
}

/** Path of the list of checksums, after its own was compared. */
export async function requireSums(dir: string, { run, sums_sha256: expected }: Manifest, signal: AbortSignal): Promise<string> {
  const path = join(dir, run, sumsName)
  const found = await sha256OfFile(path, signal)
  if (found === expected) return path
  throw new CommandError(
    `${path} is ${found === undefined ? 'missing' : 'damaged'}; run svc backup again, or use another copy of the directory`,
  )
}

/** Reads every file of the backup and compares its SHA-256. */
export async function verifyBackup(
  dir: string,
  manifest: Manifest,
  { signal, onProgress }: { readonly signal: AbortSignal; readonly onProgress: (line: string) => void },
): Promise<Verified> {
  const sums = await requireSums(dir, manifest, signal)
  const problems: { path: string; problem: 'missing' | 'damaged' }[] = []
  let [compared, problemCount] = [0, 0]
  for await (const page of pagesOfSums(sums)) {
    const found = await inParallel(page, ({ path }) => sha256OfFile(join(dir, path), signal))
    for (const [at, { path, sha256 }] of page.entries()) {
      compared += 1
      if (found[at] === sha256) continue
      problemCount += 1
      if (problems.length < listedMax) problems.push({ path, problem: found[at] === undefined ? 'missing' : 'damaged' })
    }
    onProgress(`${compared} of ${manifest.files + 2} files compared`)
  }
  return { compared, problems, problemCount }
}
