/** FilecoinWarmStorageService 1.3: the parts we call of the proxy and of its view contract, and every error it can raise. */
import { parseAbi } from 'viem'

/** The proxy itself. Data set reads go to the view contract that it names. */
export const fwssAbi = parseAbi([
  'function VERSION() view returns (string)',
  'function viewContractAddress() view returns (address)',
  'function terminateService(uint256 dataSetId)',
])

/** The view contract of 1.3, whose data set tuple has 13 words (11 before it). */
export const fwssViewAbi = parseAbi([
  'struct DataSet { uint256 pdpRailId; uint256 cacheMissRailId; uint256 cdnRailId; address payer; address payee; address serviceProvider; uint256 commissionBps; uint256 clientDataSetId; uint256 pdpEndEpoch; uint256 providerId; uint96 pendingOneTimePayments; uint96 lifecycleReserveBalance; uint256 dataSetId; }',
  'function clientNonces(address payer, uint256 nonce) view returns (uint256)',
  'function getDataSet(uint256 dataSetId) view returns (DataSet info)',
  'function getClientDataSets(address client, uint256 offset, uint256 limit) view returns (DataSet[] infos)',
  'function getClientDataSetsLength(address payer) view returns (uint256)',
  'function getAllDataSetMetadata(uint256 dataSetId) view returns (string[] keys, string[] values)',
  'function getAllPieceMetadata(uint256 dataSetId, uint256 pieceId) view returns (string[] keys, string[] values)',
  'function getApprovedProviders(uint256 offset, uint256 limit) view returns (uint256[] providerIds)',
  'function getPDPConfig() view returns (uint64 maxProvingPeriod, uint256 challengeWindowSize, uint256 challengesPerProof, uint256 initChallengeWindowStart)',
  'function provenThisPeriod(uint256 dataSetId) view returns (bool)',
  'function provingActivationEpoch(uint256 dataSetId) view returns (uint256)',
  'function provingDeadline(uint256 setId) view returns (uint256)',
])

/** Names the reverts found in provider answers. */
export const fwssErrorsAbi = parseAbi([
  'error CDNPaymentAlreadyTerminated(uint256 dataSetId)',
  'error CacheMissPaymentAlreadyTerminated(uint256 dataSetId)',
  'error CallerNotPayer(uint256 dataSetId, address expectedPayer, address caller)',
  'error CallerNotPayerOrPayee(uint256 dataSetId, address expectedPayer, address expectedPayee, address caller)',
  'error CallerNotPayments(address expected, address actual)',
  'error CallerNotServiceProvider(uint256 dataSetId, address expectedServiceProvider, address caller)',
  'error ClientDataSetAlreadyRegistered(uint256 clientDataSetId)',
  'error DataSetNotAbandoned(uint256 dataSetId, uint256 requiredEpoch, uint256 currentBlock)',
  'error DataSetNotFoundForRail(uint256 railId)',
  'error DataSetNotRegistered(uint256 dataSetId)',
  'error DataSetPaymentAlreadyTerminated(uint256 dataSetId)',
  'error DataSetPaymentBeyondEndEpoch(uint256 dataSetId, uint256 pdpEndEpoch, uint256 currentBlock)',
  'error DuplicateMetadataKey(uint256 dataSetId, string key)',
  'error ExtraDataRequired()',
  'error ExtraDataTooLarge(uint256 actualSize, uint256 maxAllowedSize)',
  'error InsufficientLockupAllowance(address payer, address operator, uint256 lockupAllowance, uint256 lockupUsage, uint256 lockupRequired)',
  'error InsufficientLockupFunds(address payer, uint256 required, uint256 available)',
  'error InsufficientMaxLockupPeriod(address payer, address operator, uint256 maxLockupPeriod, uint256 requiredLockupPeriod)',
  'error InsufficientRateAllowance(address payer, address operator, uint256 rateAllowance, uint256 rateUsage, uint256 rateRequired)',
  'error InvalidDataSetId(uint256 dataSetId)',
  'error InvalidSignature(address expected, address actual)',
  'error InvalidSignatureLength(uint256 expectedLength, uint256 actualLength)',
  'error MetadataArrayCountMismatch(uint256 metadataArrayCount, uint256 pieceCount)',
  'error MetadataKeyAndValueLengthMismatch(uint256 keysLength, uint256 valuesLength)',
  'error MetadataKeyExceedsMaxLength(uint256 index, uint256 maxAllowed, uint256 length)',
  'error MetadataValueExceedsMaxLength(uint256 index, uint256 maxAllowed, uint256 length)',
  'error NoPDPPaymentRail(uint256 dataSetId)',
  'error OnlyPDPVerifierAllowed(address expected, address actual)',
  'error OperatorNotApproved(address payer, address operator)',
  'error PaymentRailsNotFinalized(uint256 dataSetId, uint256 pdpEndEpoch)',
  'error ProviderNotRegistered(address provider)',
  'error ProvingNotStarted(uint256 dataSetId)',
  'error ProvingPeriodNotInitialized(uint256 dataSetId)',
  'error RailNotFullySettled(uint256 railId, uint256 settledUpTo, uint256 endEpoch)',
  'error TooManyMetadataKeys(uint256 maxAllowed, uint256 keysLength)',
  'error UnsupportedSignatureV(uint8 v)',
])
