import { readFile } from 'node:fs/promises'
import { database, definePlugin, defineService, type Plugin, provide } from '#kernel'
import type { RunningKernel } from '#kernel/host'
import {
  byteSources,
  cachedContents,
  contents,
  copyDefaults,
  copyKeepers,
  defineByteSource,
  defineCopyDefaults,
  defineCopyKeeper,
  defineReleaseGuard,
  releaseGuards,
} from '../contract.ts'

/** Copies in memory. */
interface Vault {
  readonly copies: Map<number, Uint8Array>
  readonly wanted: number[]
  readonly removed: number[]
  isLocked: boolean
}

interface VaultPlugin {
  readonly plugin: Plugin
  readonly vault: ReturnType<typeof defineService<Vault>>
  /** Copies the cached bytes of a content and reports the copy. */
  store(kernel: RunningKernel, contentId: number): Promise<void>
}

/** A plugin that keeps one copy of contents and attaches to storage through its contract only. */
export function createVaultPlugin(id: string, defaultCopies: number): VaultPlugin {
  const vault = defineService<Vault>(`${id}.vault`)
  const plugin = definePlugin({
    id,
    requires: ['storage'],
    provides: [provide(vault, {}, () => ({ copies: new Map(), wanted: [], removed: [], isLocked: false }))],
    contributes: [
      copyDefaults.with(defineCopyDefaults({ name: id, uses: {}, read: () => ({ defaultCopies }) })),
      copyKeepers.with(
        defineCopyKeeper({
          name: id,
          uses: { vault },
          needed: async ({ vault }, _tx, { id }) => void vault.wanted.push(id),
          async holdings({ vault }, _read, contentIds) {
            const held = { durableCopies: 1, readableCopies: 1, progress: 'storing' } as const
            return new Map(contentIds.filter((id) => vault.copies.has(id)).map((id) => [id, held]))
          },
          busyReason: async ({ vault }) => (vault.isLocked ? `${id} is locked` : undefined),
          async releaseContent({ vault }, _tx, contentId) {
            if (vault.copies.delete(contentId)) vault.removed.push(contentId)
            return [contentId]
          },
          hasContent: async ({ vault }, _read, contentId) => vault.copies.has(contentId),
        }),
      ),
      byteSources.with(
        defineByteSource({
          name: id,
          uses: { vault },
          async open({ vault }, version, contentId) {
            const bytes = vault.copies.get(contentId)
            if (!bytes) return undefined
            return {
              version,
              source: 'provider',
              async *read({ start, end } = { start: 0, end: bytes.length - 1 }) {
                yield bytes.subarray(start, end + 1)
              },
              async [Symbol.asyncDispose]() {},
            }
          },
        }),
      ),
      releaseGuards.with(defineReleaseGuard({ name: id, uses: { vault }, mayRelease: async ({ vault }) => !vault.isLocked })),
    ],
  })
  return {
    plugin,
    vault,
    async store(kernel, contentId) {
      const file = await kernel.get(cachedContents).locate(contentId)
      if (!file) throw new Error(`content ${contentId} is not cached`)
      const parts = file.segments.map(({ path, bytes }) => bytes ?? readFile(path))
      kernel.get(vault).copies.set(contentId, Buffer.concat(await Promise.all(parts)))
      await kernel.get(database).write((tx) => kernel.get(contents).recount(tx, [contentId], Date.now()))
    },
  }
}
