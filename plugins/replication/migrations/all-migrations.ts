import { bothEnginesMigration } from './0001-both-engines.ts'
import { storageConfirmationsMigration } from './0002-storage-confirmations.ts'
import { endingsMigration } from './0004-endings.ts'
import { attemptNumbersMigration } from './0005-attempt-numbers.ts'
import { resumptionsMigration } from './0006-resumptions.ts'
import { sizesOfCallsMigration } from './0007-sizes-of-calls.ts'
import { priceListsMigration } from './0008-price-lists.ts'
import { endingCausesMigration } from './0009-ending-causes.ts'
import { paidCallsMigration } from './0010-paid-calls.ts'
import { standingsMigration } from './0011-standings.ts'
import { chosenBecauseMigration } from './0019-chosen-because.ts'
import { refillsMigration } from './0020-refills.ts'
import { copyRaisesMigration } from './0021-copy-raises.ts'
import { lostCopiesMigration } from './0022-lost-copies.ts'
import { recentLandingsMigration } from './0023-recent-landings.ts'
import { foundPiecesMigration } from './0024-found-pieces.ts'

/** Sorted by execution, after those of plugins/storage, which made the tables of earlier versions on SQLite. */
export const replicationMigrations = [
  bothEnginesMigration,
  storageConfirmationsMigration,
  endingsMigration,
  attemptNumbersMigration,
  resumptionsMigration,
  sizesOfCallsMigration,
  priceListsMigration,
  endingCausesMigration,
  paidCallsMigration,
  standingsMigration,
  chosenBecauseMigration,
  refillsMigration,
  copyRaisesMigration,
  lostCopiesMigration,
  recentLandingsMigration,
  foundPiecesMigration,
]
