/** Signs as the gateway does, for a payer in tests of the devnet. */
export {
  newNonce,
  signAddPieces,
  signCreateDataSet,
  signScheduleRemovals,
  signTerminateService,
} from '../chain/typed-data.ts'
