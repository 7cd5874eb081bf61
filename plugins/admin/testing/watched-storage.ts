/** The real storage plugin, which counts open objects and fails on demand. */
import { type Plugin, provide } from '#kernel'
import { contentErrors, type Objects, objects, type Versions, versions } from '#plugins/storage'
import { storageErrors } from '../../storage/errors.ts'
import { storagePlugin } from '../../storage/plugin.ts'

type Provider = ReturnType<typeof provide>

const failures = { ...storageErrors, ...contentErrors }
type StorageFailure = 'cache_full' | 'cache_busy' | 'content_unavailable'

export interface WatchedStorage {
  readonly plugin: Plugin
  /** Makes every put and open fail; undefined ends that. */
  failWith(failure: StorageFailure | undefined): void
  /** Replaces operations on versions. */
  readonly history: Partial<Versions>
  /** Objects opened and not yet disposed. */
  openCount(): number
}

export function watchStorage(): WatchedStorage {
  const history: Partial<Versions> = {}
  const watch = { open: 0, failure: undefined as StorageFailure | undefined }
  const watched = ({ ref, uses, create }: Provider): Provider => {
    if (ref.token === objects.token) {
      return provide(objects, uses, async (services) => watchObjects((await create(services)) as Objects, watch))
    }
    if (ref.token === versions.token) {
      return provide(versions, uses, async (services) => replaceable((await create(services)) as Versions, history))
    }
    return { ref, uses, create }
  }
  return {
    plugin: { ...storagePlugin, provides: async () => (await providersOf(storagePlugin)).map(watched) },
    failWith: (failure) => {
      watch.failure = failure
    },
    history,
    openCount: () => watch.open,
  }
}

const providersOf = async ({ provides }: Plugin): Promise<readonly Provider[]> =>
  typeof provides === 'function' ? await provides() : provides

const replaceable = (real: Versions, replaced: Partial<Versions>): Versions =>
  new Proxy(real, { get: (target, name: keyof Versions) => replaced[name] ?? target[name] })

function watchObjects(real: Objects, watch: { open: number; failure: StorageFailure | undefined }): Objects {
  const throwIfFailing = () => {
    if (watch.failure !== undefined) throw failures[watch.failure]()
  }
  return {
    ...real,
    sizeBytesMin: real.sizeBytesMin,
    sizeBytesMax: real.sizeBytesMax,
    async put(request) {
      throwIfFailing()
      return await real.put(request)
    },
    async open(...place) {
      // A missing object is refused before its bytes are read.
      const opened = await real.open(...place)
      watch.open += 1
      const close = async () => {
        await opened[Symbol.asyncDispose]()
        watch.open -= 1
      }
      if (watch.failure !== undefined) await close()
      throwIfFailing()
      return { version: opened.version, source: opened.source, read: (...args) => opened.read(...args), [Symbol.asyncDispose]: close }
    },
  }
}
