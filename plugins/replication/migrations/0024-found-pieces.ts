import { defineMigration } from '#kernel'

/** Pieces that the chain had without a record were counted as calls paid when they were found. Their batches have these signed bytes. */
export const foundPiecesMigration = defineMigration('0024-found-pieces', [
  "update commit_batches set submit_started_at = null where extra_data = '0x00' and state = 'confirmed' and submit_started_at is not null",
])
