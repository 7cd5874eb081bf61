import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Loads a package, or a file of this folder, at its first use, also within synchronous code. For those that most commands never use. */
export function lazyPackage<T>(name: string): () => T {
  let loaded: { readonly exports: T } | undefined
  return () => {
    loaded ??= { exports: require(name) as T }
    return loaded.exports
  }
}
