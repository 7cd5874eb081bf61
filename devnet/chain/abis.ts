// Typed ABIs of the calls that the devnet makes; a test compares them with the compiled contracts.
import { parseAbi } from 'viem'

export const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function balanceOf(address owner) view returns (uint256)',
])

export const payAbi = parseAbi([
  'function deposit(address token, address to, uint256 amount) payable',
  'function withdraw(address token, uint256 amount)',
  'function setOperatorApproval(address token, address operator, bool approved, uint256 rateAllowance, uint256 lockupAllowance, uint256 maxLockupPeriod)',
  'function settleRail(uint256 railId, uint256 untilEpoch) returns (uint256 totalSettledAmount, uint256 totalNetPayeeAmount, uint256 totalOperatorCommission, uint256 totalNetworkFee, uint256 finalSettledEpoch, string note)',
  'function accounts(address token, address owner) view returns (uint256 funds, uint256 lockupCurrent, uint256 lockupRate, uint256 lockupLastSettledAt)',
])

export const registryAbi = parseAbi([
  'function registerProvider(address payee, string name, string description, uint8 productType, string[] capabilityKeys, bytes[] capabilityValues) payable returns (uint256 providerId)',
  'function updateProduct(uint8 productType, string[] capabilityKeys, bytes[] capabilityValues)',
  'function REGISTRATION_FEE() view returns (uint256)',
])

export const endorsementsAbi = parseAbi(['function addProviderId(uint256 providerId)'])

export const verifierAbi = parseAbi([
  'struct Cid { bytes data; }',
  'struct PackedCid { bytes32 header; bytes32 root; }',
  'struct Proof { bytes32 leaf; bytes32[] proof; }',
  'function createDataSet(address listener, bytes extraData) payable returns (uint256 setId)',
  'function addPieces(uint256 setId, address listener, Cid[] pieceData, bytes extraData) payable returns (uint256)',
  'function schedulePieceDeletions(uint256 setId, uint256[] pieceIds, bytes extraData)',
  'function processPieceDeletions(uint256 setId, uint256 removalCount)',
  'function nextProvingPeriod(uint256 setId, uint256 challengeEpoch, bytes extraData)',
  'function provePossession(uint256 setId, Proof[] proofs) payable',
  'function deleteDataSet(uint256 setId, bytes extraData)',
  'function cleanupPieces(uint256 setId, uint256 maxPieces) returns (bool done)',
  'function dataSetLive(uint256 setId) view returns (bool)',
  'function pieceLive(uint256 setId, uint256 pieceId) view returns (bool)',
  'function getNextDataSetId() view returns (uint64)',
  'function getNextChallengeEpoch(uint256 setId) view returns (uint256)',
  'function getDataSetLeafCount(uint256 setId) view returns (uint256)',
  'function getDataSetStorageProvider(uint256 setId) view returns (address, address)',
  'function getScheduledRemovals(uint256 setId) view returns (uint256[])',
  'function getPieceCid(uint256 setId, uint256 pieceId) view returns (Cid)',
  'function getActivePiecesByCursor(uint256 setId, uint256 startPieceId, uint256 limit) view returns (Cid[] pieces, uint256[] pieceIds, bool hasMore)',
  'function findPieceIdsByCid(uint256 setId, Cid pieceCid, uint256 startPieceId, uint256 limit) view returns (uint256[] pieceIds)',
  'function getChallengeFinality() view returns (uint256)',
  'function FIL_CLEANUP_DEPOSIT() view returns (uint256)',
  'event DataSetCreated(uint256 indexed setId, address indexed storageProvider)',
  'function getChallengeRange(uint256 setId) view returns (uint256)',
  'event PiecesAdded(uint256 indexed setId, uint256[] pieceIds, Cid[] pieceCids)',
  'event PiecesScheduledForRemoval(uint256 indexed setId, uint256[] pieceIds)',
  'event PiecesAddedV2(uint256 indexed setId, uint256 firstPieceId, PackedCid[] pieceCids)',
])

export const warmStorageAbi = parseAbi([
  'struct DataSet { uint256 pdpRailId; uint256 cacheMissRailId; uint256 cdnRailId; address payer; address payee; address serviceProvider; uint256 commissionBps; uint256 clientDataSetId; uint256 pdpEndEpoch; uint256 providerId; uint96 pendingOneTimePayments; uint96 lifecycleReserveBalance; uint256 dataSetId; }',
  'function addApprovedProvider(uint256 providerId)',
  'function terminateService(uint256 dataSetId, bytes extraData)',
  'function clientNonces(address payer, uint256 nonce) view returns (uint256)',
  'function getDataSet(uint256 dataSetId) view returns (DataSet info)',
  'function getDataSetStatus(uint256 dataSetId) view returns (uint8)',
  'function getPDPConfig() view returns (uint64 maxProvingPeriod, uint256 challengeWindowSize, uint256 challengesPerProof, uint256 initChallengeWindowStart)',
  'function nextPDPChallengeWindowStart(uint256 dataSetId) view returns (uint256)',
  'function provingActivationEpoch(uint256 dataSetId) view returns (uint256)',
  'function provingDeadline(uint256 dataSetId) view returns (uint256)',
  'function provenThisPeriod(uint256 dataSetId) view returns (bool)',
])
