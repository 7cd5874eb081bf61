import { defineProbe } from '#kernel'

/** Steps of a new pack. */
export const packProbes = {
  created: defineProbe('storage.pack.created'),
  written: defineProbe('storage.pack.written'),
  synced: defineProbe('storage.pack.synced'),
  folderSynced: defineProbe('storage.pack.folder-synced'),
  committed: defineProbe('storage.pack.committed'),
}
