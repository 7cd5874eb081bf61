import { readFileSync } from 'node:fs'
import type * as checkoutModule from './checkout.ts'
import type { CheckoutState } from './checkout.ts'
import { lazyPackage } from './lazy-package.ts'

const checkout = lazyPackage<typeof checkoutModule>('./checkout.ts')

interface Build extends CheckoutState {
  readonly version: string
}

let found: CheckoutState | undefined
const readState = (): CheckoutState => {
  found ??= readBuild() ?? checkout().readCheckout(new URL('../..', import.meta.url)) ?? { commit: 'unknown', buildDate: 'unknown' }
  return found
}

/**
 * Version, commit and build time of this program: from build.json of a release or archive, else from the git clone, else `unknown`.
 * The files of git are read when the commit or the time is first asked for.
 */
export const version: Build = {
  version: (readJson('../../package.json') as { readonly version: string }).version,
  get commit() {
    return readState().commit
  },
  get buildDate() {
    return readState().buildDate
  },
}

/** Returns undefined in a clone, where the file still has the marks that `git archive` replaces. */
function readBuild(): CheckoutState | undefined {
  try {
    const build = readJson('../../build.json') as CheckoutState
    return build.commit.startsWith('$') ? undefined : build
  } catch {
    return undefined
  }
}

function readJson(relative: string): unknown {
  return JSON.parse(readFileSync(new URL(relative, import.meta.url), 'utf8'))
}
