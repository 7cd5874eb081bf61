/** @walk read 6: starts one download for all readers of bytes that are not cached */
import { type FillableContent, findFillable } from '../../catalog/cached/fill-store.ts'
import type { OpenUncached } from '../../contents/byte-sources.ts'
import type { ObjectVersion, OpenedObject } from '../../contract.ts'
import { ColdObject } from './cold-object.ts'
import { Fill, type FillDeps } from './fill.ts'

/** Opens contents that are not cached, and fills the cache with those that are read. */
interface Fills extends AsyncDisposable {
  /** Returns nothing when the content is cached now: look it up again. */
  open(version: ObjectVersion, contentId: number, openSource: OpenUncached): Promise<OpenedObject | undefined>
}

export function createFills(deps: FillDeps): Fills {
  /** One fill for all readers of a content, by content id: not started yet, or running and not abandoned. */
  const fills = new Map<number, Fill>()
  /** Shared by readers, so that none makes a fill after that of another one has ended. */
  const lookups = new Map<number, Promise<FillableContent | undefined>>()
  const running = new Set<Fill>()
  let isClosed = false

  function forget(fill: Fill): void {
    if (fills.get(fill.content.contentId) === fill) fills.delete(fill.content.contentId)
  }

  function lookUp(contentId: number): Promise<FillableContent | undefined> {
    const known = lookups.get(contentId)
    if (known) return known
    const lookup = findFillable(deps.database.read, contentId).finally(() => lookups.delete(contentId))
    lookups.set(contentId, lookup)
    return lookup
  }

  function join(contentId: number, { size, sha256 }: { readonly size: number; readonly sha256: string | null }): Fill {
    const known = fills.get(contentId)
    if (known && !known.isAbandoned) return known
    const fill = new Fill(deps, { contentId, size, sha256 })
    fills.set(contentId, fill)
    return fill
  }

  function start(fill: Fill, open: () => Promise<OpenedObject>): void {
    if (isClosed) return
    running.add(fill)
    fill.start(open)
    void fill.done.then(() => {
      running.delete(fill)
      forget(fill)
    })
  }

  function addReader(fill: Fill): Disposable {
    const reader = fill.addReader()
    return {
      [Symbol.dispose]() {
        reader[Symbol.dispose]()
        if (fill.begun === undefined && fill.readers === 0) forget(fill)
      },
    }
  }

  async function openReader(fill: Fill, version: ObjectVersion, openSource: () => Promise<OpenedObject>): Promise<OpenedObject> {
    const reader = addReader(fill)
    try {
      // Errors of the source are thrown here, unless its bytes are on their way.
      const source = fill.begun ? undefined : await openSource()
      return new ColdObject(deps, { version, fill, reader, source, openSource, start: (open) => start(fill, open) })
    } catch (error) {
      reader[Symbol.dispose]()
      throw error
    }
  }

  return {
    async open(version, contentId, openSource) {
      const openPlain = () => openSource(version, contentId)
      const known = fills.get(contentId)
      if (known && !known.isAbandoned) return openReader(known, version, openPlain)
      const found = await lookUp(contentId)
      if (found?.isCached) return undefined
      if (isClosed || !found) return openPlain()
      return openReader(join(contentId, found), version, openPlain)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      const ending = [...running]
      for (const fill of ending) fill.abandon('the cache is closing')
      await Promise.all(ending.map(({ done }) => done))
    },
  }
}
