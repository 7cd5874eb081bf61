/** PDPVerifier 3.4 and 3.5, which alone has `legacyPieceStorageIdLimit`: reads of data sets and their pieces, and the errors of its calls. */
import { parseAbi } from 'viem'

/** Used to decode reverts in provider answers. */
export const pdpErrorsAbi = parseAbi([
  'error CleanupDepositRequired()',
  'error DataSetAlreadyInCleanup()',
  'error DataSetNotFound()',
  'error DataSetNotInCleanupMode()',
  'error DataSetNotLive()',
  'error IndexedError(uint256 idx, string msg)',
  'error PendingPieceDeletions(uint256 count)',
])

const readsAbi = parseAbi([
  'struct Cid { bytes data; }',
  'function VERSION() view returns (string)',
  'function dataSetLive(uint256 setId) view returns (bool)',
  'function pieceLive(uint256 setId, uint256 pieceId) view returns (bool)',
  'function getActivePiecesByCursor(uint256 setId, uint256 startPieceId, uint256 limit) view returns (Cid[] pieces, uint256[] pieceIds, bool hasMore)',
  'function getPieceCid(uint256 setId, uint256 pieceId) view returns (Cid)',
  'function getScheduledRemovals(uint256 setId) view returns (uint256[])',
  'function getDataSetListener(uint256 setId) view returns (address)',
  'function getDataSetLeafCount(uint256 setId) view returns (uint256)',
  'function getDataSetLastProvenEpoch(uint256 setId) view returns (uint256)',
  'function getNextChallengeEpoch(uint256 setId) view returns (uint256)',
  'function legacyPieceStorageIdLimit() view returns (uint64)',
  'function getNextPieceId(uint256 setId) view returns (uint256)',
])

/** The reads, with the errors that distinguish a data set that is no longer live from a failed read. */
export const pdpAbi = [...readsAbi, ...pdpErrorsAbi] as const
