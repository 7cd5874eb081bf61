// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Cid, PackedCid, PieceCids} from "./PieceCids.sol";

interface IPdpListener {
    function dataSetCreated(uint256 dataSetId, address creator, bytes calldata extraData) external;
    function dataSetDeleted(uint256 dataSetId, uint256 deletedLeafCount, bytes calldata extraData) external;
    function piecesAdded(uint256 dataSetId, uint256 firstAdded, Cid[] memory pieceData, bytes calldata extraData)
        external;
    function piecesScheduledRemove(uint256 dataSetId, uint256[] memory pieceIds, bytes calldata extraData) external;
    function possessionProven(
        uint256 dataSetId,
        uint256 challengedLeafCount,
        uint256 seed,
        uint256 challengeCount
    ) external;
    function nextProvingPeriod(
        uint256 dataSetId,
        uint256 challengeEpoch,
        uint256 leafCount,
        bytes calldata extraData
    ) external;
}

/// @title PdpVerifier: data sets, their pieces and their proving periods, as PDPVerifier 3.4 or 3.5.
/// @dev Against the real contract: Merkle proofs are counted but not verified, no proof fee is burned, the storage
///      provider of a data set cannot change, and the size of an addition is limited by numbers instead of by gas and
///      event size. Proving is honest because the simulated provider proves only what it still holds.
contract PdpVerifier {
    struct Proof {
        bytes32 leaf;
        bytes32[] proof;
    }

    struct PieceIdAndOffset {
        uint256 pieceId;
        uint256 offset;
    }

    struct Piece {
        bytes cid;
        uint256 leafCount;
        bool isRemovalScheduled;
    }

    struct DataSet {
        address storageProvider;
        address listener;
        uint256 leafCount;
        uint256 challengeRange;
        uint256 nextChallengeEpoch;
        uint256 lastProvenEpoch;
        uint256 cleanupDeposit;
        Piece[] pieces;
        uint256[] scheduledRemovals;
    }

    uint256 private constant EVENT_BATCH_SIZE = 100;
    /// The event of 3.4 has room for no more, and the gas of a block suffices for no more in the old layout.
    uint256 private constant EVENT_PIECES_MAX = 41;
    uint256 private constant LEGACY_PIECES_MAX = 80;
    uint256 public constant MAX_PIECE_SIZE_LOG2 = 50;
    uint256 public constant MAX_ENQUEUED_REMOVALS = 2000;
    uint256 public constant FIL_CLEANUP_DEPOSIT = 0.1 ether;
    uint256 public constant INACTIVITY_WINDOW = 86400;
    uint256 private constant MAX_FINALITY = INACTIVITY_WINDOW / 2;
    uint256 private constant NO_CHALLENGE_SCHEDULED = 0;
    uint256 private constant CLEANUP_MODE = type(uint256).max;

    uint256 private immutable challengeFinality;
    /// Data sets below this id have the old layout of pieces; 0: the contract is 3.4.
    uint64 private immutable compactFromId;
    string public VERSION;
    uint64 private nextDataSetId = 1;
    mapping(uint256 setId => DataSet) private dataSets;

    event DataSetCreated(uint256 indexed setId, address indexed storageProvider);
    event DataSetDeleted(uint256 indexed setId, uint256 deletedLeafCount);
    event DataSetEmpty(uint256 indexed setId);
    event PiecesAdded(uint256 indexed setId, uint256[] pieceIds, Cid[] pieceCids);
    event PiecesAddedV2(uint256 indexed setId, uint256 firstPieceId, PackedCid[] pieceCids);
    event PiecesScheduledForRemoval(uint256 indexed setId, uint256[] pieceIds);
    event PiecesRemoved(uint256 indexed setId, uint256[] pieceIds);
    event PossessionProven(uint256 indexed setId, PieceIdAndOffset[] challenges);
    event NextProvingPeriod(uint256 indexed setId, uint256 challengeEpoch, uint256 leafCount);

    error IndexedError(uint256 idx, string msg);
    error CleanupDepositRequired();
    error DataSetNotFound();
    error DataSetNotLive();
    error DataSetAlreadyInCleanup();
    error OnlyStorageProviderCanDelete();
    error OnlyStorageProviderCanCleanupPieces();
    error MaxPiecesMustBePositive();
    error DataSetNotInCleanupMode();
    error DepositTransferFailed();
    error EmptyRemovalBatch();
    error InvalidPieceDeletionBatch();
    error NoPiecesToProve();
    error OnlyStorageProvider();
    error PendingPieceDeletions(uint256 count);
    error TransferFailed();
    error InsufficientChallengeDelay(uint256 epochs, uint256 minDelay);
    error ExcessiveChallengeDelay(uint256 epochs, uint256 maxDelay);

    modifier onlyLive(uint256 setId) {
        require(dataSetLive(setId), DataSetNotLive());
        _;
    }

    /// @dev A call that 3.4 lacks reverts without data, as there.
    modifier onlyCompact() {
        require(compactFromId > 0);
        _;
    }

    constructor(string memory version, uint256 challengeFinality_, uint64 compactFromId_) {
        VERSION = version;
        challengeFinality = challengeFinality_;
        compactFromId = compactFromId_;
    }

    // Writes, by storage providers.

    function createDataSet(address listener, bytes calldata extraData) external payable returns (uint256 setId) {
        setId = _create(listener, extraData);
        _takeDeposit(setId);
    }

    /// @notice `setId` 0 creates the data set first; `extraData` is then `(bytes create, bytes add)`.
    function addPieces(uint256 setId, address listener, Cid[] calldata pieceData, bytes calldata extraData)
        external
        payable
        returns (uint256)
    {
        if (setId == 0) {
            (bytes memory createExtra, bytes memory addExtra) = abi.decode(extraData, (bytes, bytes));
            require(listener != address(0), "listener required for new dataset");
            uint256 newSetId = _create(listener, createExtra);
            if (pieceData.length > 0) _add(newSetId, pieceData, addExtra);
            _takeDeposit(newSetId);
            return newSetId;
        }
        require(listener == address(0), "listener must be zero for existing dataset");
        require(msg.value == 0, "no fee on add to existing dataset");
        require(dataSetLive(setId), DataSetNotLive());
        require(dataSets[setId].storageProvider == msg.sender, "Only the storage provider can add pieces");
        return _add(setId, pieceData, extraData);
    }

    function schedulePieceDeletions(uint256 setId, uint256[] calldata pieceIds, bytes calldata extraData)
        external
        onlyLive(setId)
    {
        DataSet storage set = dataSets[setId];
        require(set.storageProvider == msg.sender, "Only the storage provider can schedule removal of pieces");
        require(pieceIds.length > 0 || compactFromId == 0, EmptyRemovalBatch());
        require(
            pieceIds.length + set.scheduledRemovals.length <= MAX_ENQUEUED_REMOVALS,
            "Too many removals wait for next proving period to schedule"
        );
        for (uint256 i = 0; i < pieceIds.length; i++) {
            uint256 pieceId = pieceIds[i];
            require(pieceId < set.pieces.length, "Can only schedule removal of existing pieces");
            Piece storage piece = set.pieces[pieceId];
            require(piece.leafCount > 0, "Can only schedule removal of live pieces");
            require(!piece.isRemovalScheduled, "Piece ID already scheduled for removal");
            piece.isRemovalScheduled = true;
            set.scheduledRemovals.push(pieceId);
        }
        IPdpListener(set.listener).piecesScheduledRemove(setId, pieceIds, extraData);
        for (uint256 start = 0; compactFromId > 0 && start < pieceIds.length; start += EVENT_BATCH_SIZE) {
            emit PiecesScheduledForRemoval(setId, pieceIds[start:_batchEnd(start, pieceIds.length)]);
        }
    }

    /// @notice Removes the last `removalCount` queued pieces, and with them the challenge.
    function processPieceDeletions(uint256 setId, uint256 removalCount) external onlyCompact onlyLive(setId) {
        DataSet storage set = dataSets[setId];
        require(set.storageProvider == msg.sender, OnlyStorageProvider());
        require(removalCount > 0, EmptyRemovalBatch());
        require(removalCount <= set.scheduledRemovals.length, InvalidPieceDeletionBatch());
        _removeScheduled(setId, set, removalCount);
        set.nextChallengeEpoch = NO_CHALLENGE_SCHEDULED;
    }

    /// @notice Ends the period and schedules the next challenge; in 3.4, queued removals take effect.
    function nextProvingPeriod(uint256 setId, uint256 challengeEpoch, bytes calldata extraData) external {
        DataSet storage set = dataSets[setId];
        require(
            set.storageProvider == msg.sender, "only the storage provider can move to next proving period"
        );
        uint256 pending = set.scheduledRemovals.length;
        if (compactFromId > 0) {
            require(pending == 0, PendingPieceDeletions(pending));
            // A data set that processed deletions have emptied ends its last period.
            require(set.leafCount > 0 || (dataSetLive(setId) && set.challengeRange > 0), NoPiecesToProve());
        } else {
            require(set.leafCount > 0, "can only start proving once leaves are added");
            if (pending > 0) _removeScheduled(setId, set, pending);
        }

        set.challengeRange = set.leafCount;
        unchecked {
            uint256 delay = challengeEpoch - block.number;
            require(delay >= challengeFinality, InsufficientChallengeDelay(delay, challengeFinality));
            require(delay <= MAX_FINALITY, ExcessiveChallengeDelay(delay, MAX_FINALITY));
        }
        set.nextChallengeEpoch = challengeEpoch;
        if (set.leafCount == 0) {
            emit DataSetEmpty(setId);
            set.lastProvenEpoch = block.number;
            set.nextChallengeEpoch = NO_CHALLENGE_SCHEDULED;
        }
        IPdpListener(set.listener).nextProvingPeriod(setId, set.nextChallengeEpoch, set.leafCount, extraData);
        emit NextProvingPeriod(setId, challengeEpoch, set.leafCount);
    }

    function provePossession(uint256 setId, Proof[] calldata proofs) external payable {
        DataSet storage set = dataSets[setId];
        require(set.storageProvider == msg.sender, "Only the storage provider can prove possession");
        require(proofs.length > 0, "empty proof");
        require(block.number >= set.nextChallengeEpoch, "premature proof");
        require(set.nextChallengeEpoch != NO_CHALLENGE_SCHEDULED, "no challenge scheduled");
        set.lastProvenEpoch = block.number;
        uint256 seed = uint256(blockhash(block.number - 1));
        IPdpListener(set.listener).possessionProven(setId, set.leafCount, seed, proofs.length);
        emit PossessionProven(setId, new PieceIdAndOffset[](proofs.length));
        if (msg.value > 0) _pay(msg.sender, msg.value);
    }

    function deleteDataSet(uint256 setId, bytes calldata extraData) external {
        DataSet storage set = dataSets[setId];
        require(set.storageProvider != address(0), DataSetNotLive());
        require(set.nextChallengeEpoch != CLEANUP_MODE, DataSetAlreadyInCleanup());
        if (_isWithinActivityWindow(set)) {
            require(msg.sender == set.storageProvider, OnlyStorageProviderCanDelete());
        }
        uint256 deletedLeafCount = set.leafCount;
        set.leafCount = 0;
        IPdpListener(set.listener).dataSetDeleted(setId, deletedLeafCount, extraData);
        emit DataSetDeleted(setId, deletedLeafCount);
        if (set.pieces.length == 0) {
            _finalizeCleanup(setId);
        } else {
            set.nextChallengeEpoch = CLEANUP_MODE;
        }
    }

    /// @notice Frees up to `maxPieces` pieces of a deleted data set; who finishes gets the deposit.
    function cleanupPieces(uint256 setId, uint256 maxPieces) external returns (bool done) {
        require(maxPieces > 0, MaxPiecesMustBePositive());
        DataSet storage set = dataSets[setId];
        require(set.nextChallengeEpoch == CLEANUP_MODE, DataSetNotInCleanupMode());
        if (_isWithinActivityWindow(set)) {
            require(msg.sender == set.storageProvider, OnlyStorageProviderCanCleanupPieces());
        }
        for (uint256 i = 0; i < maxPieces && set.pieces.length > 0; i++) {
            set.pieces.pop();
        }
        done = set.pieces.length == 0;
        if (done) _finalizeCleanup(setId);
    }

    // Reads.

    function getChallengeFinality() external view returns (uint256) {
        return challengeFinality;
    }

    function legacyPieceStorageIdLimit() external view onlyCompact returns (uint64) {
        return compactFromId;
    }

    function getNextDataSetId() external view returns (uint64) {
        return nextDataSetId;
    }

    function dataSetLive(uint256 setId) public view returns (bool) {
        return dataSets[setId].storageProvider != address(0) && dataSets[setId].nextChallengeEpoch != CLEANUP_MODE;
    }

    function pieceLive(uint256 setId, uint256 pieceId) public view returns (bool) {
        return dataSetLive(setId) && _leafCount(setId, pieceId) > 0;
    }

    /// @notice Whether the piece is inside the range the next challenge draws from.
    function pieceChallengable(uint256 setId, uint256 pieceId) external view returns (bool) {
        if (!pieceLive(setId, pieceId)) return false;
        uint256 leavesBefore;
        for (uint256 i = 0; i <= pieceId; i++) {
            leavesBefore += dataSets[setId].pieces[i].leafCount;
        }
        return leavesBefore <= dataSets[setId].challengeRange;
    }

    function getNextPieceId(uint256 setId) external view returns (uint256) {
        require(dataSets[setId].storageProvider != address(0), DataSetNotFound());
        return dataSets[setId].pieces.length;
    }

    function getNextChallengeEpoch(uint256 setId) external view returns (uint256) {
        require(dataSets[setId].storageProvider != address(0), DataSetNotFound());
        return dataSets[setId].nextChallengeEpoch;
    }

    function getDataSetLeafCount(uint256 setId) external view onlyLive(setId) returns (uint256) {
        return dataSets[setId].leafCount;
    }

    function getDataSetListener(uint256 setId) external view onlyLive(setId) returns (address) {
        return dataSets[setId].listener;
    }

    /// @return The storage provider, and the proposed one (never set here).
    function getDataSetStorageProvider(uint256 setId) external view onlyLive(setId) returns (address, address) {
        return (dataSets[setId].storageProvider, address(0));
    }

    function getDataSetLastProvenEpoch(uint256 setId) external view onlyLive(setId) returns (uint256) {
        return dataSets[setId].lastProvenEpoch;
    }

    function getChallengeRange(uint256 setId) external view onlyLive(setId) returns (uint256) {
        return dataSets[setId].challengeRange;
    }

    function getScheduledRemovals(uint256 setId) external view onlyLive(setId) returns (uint256[] memory) {
        return dataSets[setId].scheduledRemovals;
    }

    function getPieceCid(uint256 setId, uint256 pieceId) external view onlyLive(setId) returns (Cid memory) {
        if (_leafCount(setId, pieceId) == 0) return Cid("");
        return Cid(dataSets[setId].pieces[pieceId].cid);
    }

    function getPieceLeafCount(uint256 setId, uint256 pieceId) external view onlyLive(setId) returns (uint256) {
        return _leafCount(setId, pieceId);
    }

    function getActivePieceCount(uint256 setId) external view onlyLive(setId) returns (uint256 activeCount) {
        Piece[] storage pieces = dataSets[setId].pieces;
        for (uint256 i = 0; i < pieces.length; i++) {
            if (pieces[i].leafCount > 0) activeCount++;
        }
    }

    /// @notice Live pieces by their position among the live ones.
    function getActivePieces(uint256 setId, uint256 offset, uint256 limit)
        external
        view
        onlyLive(setId)
        returns (Cid[] memory pieces, uint256[] memory pieceIds, bool hasMore)
    {
        uint256 start;
        Piece[] storage all = dataSets[setId].pieces;
        for (uint256 skipped = 0; start < all.length && skipped < offset; start++) {
            if (all[start].leafCount > 0) skipped++;
        }
        return _activeFrom(all, start, limit);
    }

    /// @notice Live pieces from a piece id on.
    function getActivePiecesByCursor(uint256 setId, uint256 startPieceId, uint256 limit)
        external
        view
        onlyLive(setId)
        returns (Cid[] memory pieces, uint256[] memory pieceIds, bool hasMore)
    {
        return _activeFrom(dataSets[setId].pieces, startPieceId, limit);
    }

    function findPieceIdsByCid(uint256 setId, Cid calldata pieceCid, uint256 startPieceId, uint256 limit)
        external
        view
        onlyLive(setId)
        returns (uint256[] memory pieceIds)
    {
        require(limit > 0, "Limit must be greater than 0");
        Piece[] storage pieces = dataSets[setId].pieces;
        bytes32 wanted = keccak256(pieceCid.data);
        pieceIds = new uint256[](limit);
        uint256 count;
        for (uint256 i = startPieceId; i < pieces.length && count < limit; i++) {
            if (pieces[i].leafCount > 0 && keccak256(pieces[i].cid) == wanted) pieceIds[count++] = i;
        }
        assembly ("memory-safe") {
            mstore(pieceIds, count)
        }
    }

    // Inside.

    function _create(address listener, bytes memory extraData) private returns (uint256 setId) {
        setId = nextDataSetId++;
        DataSet storage set = dataSets[setId];
        set.storageProvider = msg.sender;
        set.listener = listener;
        set.lastProvenEpoch = block.number;
        IPdpListener(listener).dataSetCreated(setId, msg.sender, extraData);
        emit DataSetCreated(setId, msg.sender);
    }

    function _takeDeposit(uint256 setId) private {
        require(msg.value >= FIL_CLEANUP_DEPOSIT, CleanupDepositRequired());
        dataSets[setId].cleanupDeposit = FIL_CLEANUP_DEPOSIT;
        if (msg.value > FIL_CLEANUP_DEPOSIT) _pay(msg.sender, msg.value - FIL_CLEANUP_DEPOSIT);
    }

    function _add(uint256 setId, Cid[] calldata pieceData, bytes memory extraData)
        private
        returns (uint256 firstAdded)
    {
        require(pieceData.length > 0, "Must add at least one piece");
        DataSet storage set = dataSets[setId];
        firstAdded = set.pieces.length;
        require(setId >= compactFromId || pieceData.length <= LEGACY_PIECES_MAX, "out of gas");
        for (uint256 i = 0; i < pieceData.length; i++) {
            (uint256 padding, uint8 height) = PieceCids.parse(pieceData[i]);
            require(!PieceCids.isPaddingExcessive(padding, height), IndexedError(i, "Padding is too large"));
            require(height <= MAX_PIECE_SIZE_LOG2, IndexedError(i, "Piece size must be less than 2^50"));
            uint256 leaves = PieceCids.leafCount(padding, height);
            set.pieces.push(Piece(pieceData[i].data, leaves, false));
            set.leafCount += leaves;
        }
        if (compactFromId > 0) _emitPackedPieces(setId, firstAdded, pieceData);
        else _emitPieces(setId, firstAdded, pieceData);
        IPdpListener(set.listener).piecesAdded(setId, firstAdded, pieceData, extraData);
    }

    function _emitPieces(uint256 setId, uint256 firstAdded, Cid[] calldata pieceData) private {
        require(pieceData.length <= EVENT_PIECES_MAX, "total event value lengths exceeded the max size");
        uint256[] memory pieceIds = new uint256[](pieceData.length);
        for (uint256 i = 0; i < pieceData.length; i++) {
            pieceIds[i] = firstAdded + i;
        }
        emit PiecesAdded(setId, pieceIds, pieceData);
    }

    function _emitPackedPieces(uint256 setId, uint256 firstAdded, Cid[] calldata pieceData) private {
        for (uint256 start = 0; start < pieceData.length; start += EVENT_BATCH_SIZE) {
            PackedCid[] memory packed = new PackedCid[](_batchEnd(start, pieceData.length) - start);
            for (uint256 i = 0; i < packed.length; i++) {
                packed[i] = PieceCids.pack(pieceData[start + i]);
            }
            emit PiecesAddedV2(setId, firstAdded + start, packed);
        }
    }

    function _batchEnd(uint256 start, uint256 length) private pure returns (uint256) {
        return start + EVENT_BATCH_SIZE < length ? start + EVENT_BATCH_SIZE : length;
    }

    /// @dev In events of at most 100 ids, as 3.5; 3.4 had one event, which no test here exceeds.
    function _removeScheduled(uint256 setId, DataSet storage set, uint256 count) private {
        uint256 kept = set.scheduledRemovals.length - count;
        for (uint256 start = 0; start < count; start += EVENT_BATCH_SIZE) {
            uint256[] memory removed = new uint256[](_batchEnd(start, count) - start);
            for (uint256 i = 0; i < removed.length; i++) {
                removed[i] = set.scheduledRemovals[kept + start + i];
                set.leafCount -= set.pieces[removed[i]].leafCount;
                delete set.pieces[removed[i]];
            }
            emit PiecesRemoved(setId, removed);
        }
        for (uint256 i = 0; i < count; i++) {
            set.scheduledRemovals.pop();
        }
    }

    function _finalizeCleanup(uint256 setId) private {
        uint256 deposit = dataSets[setId].cleanupDeposit;
        delete dataSets[setId];
        (bool sent,) = msg.sender.call{value: deposit}("");
        require(sent, DepositTransferFailed());
    }

    function _pay(address to, uint256 amount) private {
        (bool sent,) = to.call{value: amount}("");
        require(sent, TransferFailed());
    }

    function _isWithinActivityWindow(DataSet storage set) private view returns (bool) {
        return block.number <= set.lastProvenEpoch + INACTIVITY_WINDOW;
    }

    function _leafCount(uint256 setId, uint256 pieceId) private view returns (uint256) {
        Piece[] storage pieces = dataSets[setId].pieces;
        return pieceId < pieces.length ? pieces[pieceId].leafCount : 0;
    }

    function _activeFrom(Piece[] storage all, uint256 start, uint256 limit)
        private
        view
        returns (Cid[] memory pieces, uint256[] memory pieceIds, bool hasMore)
    {
        require(limit > 0, "Limit must be greater than 0");
        uint256 room = start < all.length ? all.length - start : 0;
        if (room > limit) room = limit;
        pieces = new Cid[](room);
        pieceIds = new uint256[](room);
        uint256 count;
        for (uint256 i = start; i < all.length; i++) {
            if (all[i].leafCount == 0) continue;
            if (count == limit) {
                hasMore = true;
                break;
            }
            pieces[count] = Cid(all[i].cid);
            pieceIds[count++] = i;
        }
        assembly ("memory-safe") {
            mstore(pieces, count)
            mstore(pieceIds, count)
        }
    }
}
