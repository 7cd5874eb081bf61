interface IdentityFacts {
  /** The identity that the last start recorded. Undefined before the first start, and after starts of earlier versions. */
  readonly recorded: string | undefined
  /** The content of the identity file. Undefined without one. */
  readonly found: string | undefined
  /** The recorded cached files, and those of them whose start has its folder here. */
  readonly files: { readonly all: number; readonly here: number }
}

/** `use`: the folder is the cache of this database. `make`: so is it, after it got a new identity file. */
type IdentityDecision = 'use' | 'make' | 'refuse'

/**
 * Whether a folder is the cache of a database. An operator accepts a folder in spite of missing files with an empty identity file. A new
 * identity is always another one, so that the former folder is refused when its disk returns.
 */
export function judgeIdentity({ recorded, found, files }: IdentityFacts): IdentityDecision {
  if (found === '') return 'make'
  if (found !== undefined && (found === recorded || recorded === undefined)) return 'use'
  if (files.all === 0) return found === undefined ? 'make' : 'use'
  // Written by an earlier version. It may have made folders of starts below the mount point too, but not of most files.
  return found === undefined && recorded === undefined && files.here * 2 > files.all ? 'make' : 'refuse'
}
