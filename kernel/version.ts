import { readFileSync } from 'node:fs'
import { type CheckoutState, readCheckout } from './checkout.ts'

interface Build extends CheckoutState {
  readonly version: string
}

/** Version, commit and build time of this program: from build.json of a release or archive, else from the git clone, else `unknown`. */
export const version: Build = readVersion()

function readVersion(): Build {
  const { version } = readJson('../package.json') as { readonly version: string }
  return { version, ...(readBuild() ?? readCheckout(new URL('..', import.meta.url)) ?? { commit: 'unknown', buildDate: 'unknown' }) }
}

/** Undefined in a clone, where the file still has the marks that `git archive` replaces. */
function readBuild(): CheckoutState | undefined {
  try {
    const build = readJson('../build.json') as CheckoutState
    return build.commit.startsWith('$') ? undefined : build
  } catch {
    return undefined
  }
}

function readJson(relative: string): unknown {
  return JSON.parse(readFileSync(new URL(relative, import.meta.url), 'utf8'))
}
