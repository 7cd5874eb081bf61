import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CommandCall } from '#kernel'
import { version, writePrivateFile } from '#kernel/system'
import { readIfExists } from '../read-if-exists.ts'
import { usageError } from '../usage.ts'
import { type Feed, openFeed, type Release, readKey } from './feed.ts'
import { readSource } from './read-source.ts'
import { compareVersions } from './version-policy.ts'

/** Name of the file beside the configuration that has the time of the newest feed that was seen. */
const seenName = 'release-feed-seen'

export interface Checked {
  readonly issued_at: string
  readonly latest: string
  /** Releases that are newer than this svc, newest first. */
  readonly newer: readonly Release[]
}

interface CheckRequest {
  /** File or URL. */
  readonly feed: string
  /** Key in base64, or a file with a key. */
  readonly key: string | undefined
  readonly dataDir: string
  readonly cwd: string
}

/** Compares this svc with a signed feed. Remembers its time, so that an older feed is refused from now on. */
export async function checkReleases(
  { feed: source, key, dataDir, cwd }: CheckRequest,
  out: Pick<CommandCall['out'], 'note'>,
): Promise<Checked> {
  if (key === undefined) throw usageError('--check needs --key, the public key of the publisher')
  const trusted = readKey(
    existsSync(join(cwd, key)) || existsSync(key) ? readFileSync(existsSync(key) ? key : join(cwd, key), 'utf8') : key,
  )
  const seenPath = join(dataDir, seenName)
  const feed = openFeed(await readSource(source, cwd), { key: trusted, nowMs: Date.now(), seen: readIfExists(seenPath)?.trim() })
  remember(seenPath, feed, out)
  const releases = [...feed.releases].sort((a, b) => compareVersions(b.version, a.version))
  return {
    issued_at: feed.issued_at,
    latest: releases[0]?.version ?? version.version,
    newer: releases.filter((release) => compareVersions(release.version, version.version) > 0),
  }
}

function remember(path: string, { issued_at }: Feed, out: Pick<CommandCall['out'], 'note'>): void {
  if (!existsSync(dirname(path))) return
  try {
    writePrivateFile(path, `${issued_at}\n`)
  } catch (error) {
    out.note(`An older feed cannot be recognised later: ${(error as Error).message}`)
  }
}
