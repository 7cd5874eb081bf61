import { defineProbe } from '#kernel'

/** The steps of a put, in order; see putObject. */
export const putProbes = {
  reserved: defineProbe('storage.put.reserved'),
  /** The bytes of a body that gets no file are complete and accepted. */
  collected: defineProbe('storage.put.collected'),
  created: defineProbe('storage.put.created'),
  written: defineProbe('storage.put.written'),
  synced: defineProbe('storage.put.synced'),
  folderSynced: defineProbe('storage.put.folder-synced'),
  /** A part of an object that is split over several contents is committed. */
  partCommitted: defineProbe('storage.put.part-committed'),
  committing: defineProbe('storage.put.committing'),
  committed: defineProbe('storage.put.committed'),
  /** The parts of a put that failed are released. */
  partsDropped: defineProbe('storage.put.parts-dropped'),
}
