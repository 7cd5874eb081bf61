/** Public contract of the providers plugin: who the providers are, how to call them, and what the chain says about their data sets. */
export { additionPiecesMax, isAtLeast } from './chain/addition-limits-policy.ts'
export { type NonceOutcome, pieceIdsOf } from './chain/nonce-policy.ts'
export type { DataSetObserver, ObservedDataSet } from './chain/observed-data-sets.ts'
export type { Liveness, MetadataEntry, PieceState, WarmStorageReads } from './chain/warm-storage-reads.ts'
export type { ProviderAnswer, SubmissionAnswer } from './client/provider-answer.ts'
export type {
  AddPiecesCall,
  CreateDataSetCall,
  PieceSource,
  ProviderClient,
  PullCall,
  PullState,
  PullStatus,
  Submitted,
  TerminationAccepted,
} from './client/provider-client.ts'
export type { NotSentCause } from './client/provider-error.ts'
export {
  lookupsAtOnceMax,
  pieceBytesMax,
  pieceBytesMin,
  pulledPiecesMax,
  removalsAtOnceMax,
  removalsPerCallMax,
  storesAtOnceMax,
} from './client/provider-limits.ts'
export type { OpenedPiece, ProviderPieces } from './client/provider-pieces.ts'
export { type Refusal, type Turn, waitForTurn } from './client/provider-turns.ts'
export { findSizeRefusal } from './client/size-refusal-policy.ts'
export {
  bytesBody,
  fileBody,
  joinBodies,
  padBody,
  type UploadBody,
  UploadSourceDamaged,
  UploadSourceFailed,
} from './client/upload-body.ts'
export * from './contract/provider-facts.ts'
export * from './contract/providers.ts'
export { observabilitySection, samplesSection } from './contract/settings.ts'
export {
  type Candidate,
  type ChosenBecause,
  chooseCandidates,
  judgeCandidates,
} from './inventory/candidate-policy.ts'
