import { onlyOnSqlite } from '#kernel'
import { bothEnginesMigration } from './0017-both-engines.ts'
import { anySizeMigration } from './0018-any-size.ts'
import { uploadsMigration } from './0019-uploads.ts'
import { deletedBucketsMigration } from './0021-deleted-buckets.ts'
import { objectTagsMigration } from './0022-object-tags.ts'
import { bytesInDatabaseMigration } from './0023-bytes-in-database.ts'
import { compositesOfBucketMigration } from './0024-composites-of-bucket.ts'
import { blockChecksumsMigration } from './0025-block-checksums.ts'
import { damagedFilesMigration } from './0026-damaged-files.ts'
import { cacheIdentityMigration } from './0027-cache-identity.ts'
import { listedChecksumsMigration } from './0028-listed-checksums.ts'
import { storedUsageMigration } from './0029-stored-usage.ts'
import { packsMigration } from './0030-packs.ts'
import { packsOfBucketMigration } from './0031-packs-of-bucket.ts'
import { objectsMigration } from './sqlite/0001-objects.ts'
import { copiesMigration } from './sqlite/0002-copies.ts'
import { removalsMigration } from './sqlite/0003-removals.ts'
import { listReadsMigration } from './sqlite/0004-list-reads.ts'
import { finalityMigration } from './sqlite/0006-finality.ts'
import { refusalsMigration } from './sqlite/0007-refusals.ts'
import { provenPiecesMigration } from './sqlite/0008-proven-pieces.ts'
import { chunkRootsMigration } from './sqlite/0009-chunk-roots.ts'
import { providerSizesMigration } from './sqlite/0010-provider-sizes.ts'
import { cachedUntilProvenMigration } from './sqlite/0011-cached-until-proven.ts'
import { copiesOfBatchMigration } from './sqlite/0012-copies-of-batch.ts'
import { endedRemovalsMigration } from './sqlite/0013-ended-removals.ts'
import { objectIdsMigration } from './sqlite/0014-object-ids.ts'
import { versionCountsMigration } from './sqlite/0015-version-counts.ts'
import { knownKeepersMigration } from './sqlite/0016-known-keepers.ts'

/**
 * Sorted by execution. The earlier ones also made the tables of plugins/replication: published migrations keep their names and their
 * order, because databases exist that ran them.
 */
export const storageMigrations = [
  ...[
    objectsMigration,
    copiesMigration,
    removalsMigration,
    listReadsMigration,
    finalityMigration,
    refusalsMigration,
    provenPiecesMigration,
    chunkRootsMigration,
    providerSizesMigration,
    cachedUntilProvenMigration,
    copiesOfBatchMigration,
    endedRemovalsMigration,
    objectIdsMigration,
    versionCountsMigration,
    knownKeepersMigration,
  ].map(onlyOnSqlite),
  bothEnginesMigration,
  anySizeMigration,
  uploadsMigration,
  deletedBucketsMigration,
  objectTagsMigration,
  bytesInDatabaseMigration,
  compositesOfBucketMigration,
  blockChecksumsMigration,
  damagedFilesMigration,
  cacheIdentityMigration,
  listedChecksumsMigration,
  storedUsageMigration,
  packsMigration,
  packsOfBucketMigration,
]
