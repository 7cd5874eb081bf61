/** Reads of the chain that may fail one by one. */
/** Why a read failed; contains no address. */
export type ReadTrouble = 'timeout' | 'RPC failure' | 'contract refused'

export type Read<T> = { readonly isKnown: true; readonly value: T } | { readonly isKnown: false; readonly because: ReadTrouble }

const timedOut = Symbol('timed out')

/** Never rejects: without an answer until the limit it is not known. */
export async function settle<T>(answer: Promise<T>, limit: Promise<typeof timedOut>): Promise<Read<T>> {
  try {
    const value = await Promise.race([answer, limit])
    return value === timedOut ? { isKnown: false, because: 'timeout' } : { isKnown: true, value }
  } catch (error) {
    // Error messages of a node may contain its URL: return only the kind of failure (I-10).
    return { isKnown: false, because: troubleOf(error) }
  }
}

function troubleOf(error: unknown): ReadTrouble {
  return error instanceof Error && 'code' in error && error.code === 'chain_reverted' ? 'contract refused' : 'RPC failure'
}

/** One limit for several reads. Call `end` when they are settled. */
export function startLimit(ms: number) {
  const { promise: reached, resolve } = Promise.withResolvers<typeof timedOut>()
  const timer = setTimeout(() => resolve(timedOut), ms)
  return { reached, end: () => clearTimeout(timer) }
}
