import { readFileSync } from 'node:fs'

interface Build {
  readonly version: string
  readonly commit: string
  readonly buildDate: string
}

/** Version and build of this program. A release build writes build.json beside package.json; a checkout has none. */
export const version: Build = readVersion()

function readVersion(): Build {
  const { version } = readJson('../package.json') as { readonly version: string }
  try {
    return { version, ...(readJson('../build.json') as Omit<Build, 'version'>) }
  } catch {
    // A checkout: there is no build to name.
    return { version, commit: 'unknown', buildDate: 'unknown' }
  }
}

function readJson(relative: string): unknown {
  return JSON.parse(readFileSync(new URL(relative, import.meta.url), 'utf8'))
}
