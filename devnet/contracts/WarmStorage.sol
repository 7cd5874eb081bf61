// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

import {Cid, PieceCids} from "./PieceCids.sol";

interface IPay {
    struct RailView {
        address token;
        address from;
        address to;
        address operator;
        address validator;
        uint256 paymentRate;
        uint256 lockupPeriod;
        uint256 lockupFixed;
        uint256 settledUpTo;
        uint256 endEpoch;
        uint256 commissionRateBps;
        address serviceFeeRecipient;
    }

    function getAccountInfoIfSettled(address token, address owner)
        external
        view
        returns (uint256 fundedUntilEpoch, uint256 currentFunds, uint256 availableFunds, uint256 currentLockupRate);
    function operatorApprovals(address token, address client, address operator)
        external
        view
        returns (
            bool isApproved,
            uint256 rateAllowance,
            uint256 lockupAllowance,
            uint256 rateUsage,
            uint256 lockupUsage,
            uint256 maxLockupPeriod
        );
    function getRail(uint256 railId) external view returns (RailView memory);
    function createRail(
        address token,
        address from,
        address to,
        address validator,
        uint256 commissionRateBps,
        address serviceFeeRecipient
    ) external returns (uint256 railId);
    function modifyRailLockup(uint256 railId, uint256 period, uint256 lockupFixed) external;
    function modifyRailPayment(uint256 railId, uint256 newRate, uint256 oneTimePayment) external;
    function terminateRail(uint256 railId) external;
    // Its results are not read here, so they are not declared.
    function settleRail(uint256 railId, uint256 untilEpoch) external;
}

interface IVerifier {
    function getDataSetLeafCount(uint256 setId) external view returns (uint256);
    function getDataSetLastProvenEpoch(uint256 setId) external view returns (uint256);
}

interface IRegistry {
    function getProviderIdByAddress(address serviceProvider) external view returns (uint256);
    function getProviderPayee(uint256 providerId) external view returns (address);
}

interface ISessionKeys {
    function authorizationExpiry(address identity, address signer, bytes32 permission) external view returns (uint256);
}

/// @title WarmStorage: the storage service that sells data sets, as FilecoinWarmStorageService 1.3 or 1.4, together
///        with its state view (one contract answers both, `viewContractAddress()` is its own address).
/// @dev Version, prices, proving period and challenge window are deploy parameters. Left out: proxies and upgrades,
///      settlement and top-up of CDN rails, authorizers, reads of piece metadata (which 1.4 no longer has).
contract WarmStorage {
    struct DataSetInfoView {
        uint256 pdpRailId;
        uint256 cacheMissRailId;
        uint256 cdnRailId;
        address payer;
        address payee;
        address serviceProvider;
        uint256 commissionBps;
        uint256 clientDataSetId;
        uint256 pdpEndEpoch;
        uint256 providerId;
        uint96 pendingOneTimePayments;
        uint96 lifecycleReserveBalance;
        uint256 dataSetId;
    }

    struct ServicePricing {
        uint256 pricePerTiBPerMonthNoCDN;
        uint256 pricePerTiBCdnEgress;
        uint256 pricePerTiBCacheMissEgress;
        address tokenAddress;
        uint256 epochsPerMonth;
        uint256 datasetFeePerMonth;
    }

    struct PriceListRates {
        uint256 storagePerTibPerMonth;
        uint256 datasetFeePerMonth;
        uint256 cdnEgressPerTib;
        uint256 cacheMissEgressPerTib;
    }

    struct PriceListFees {
        uint256 createDataSetFee;
        uint256 addPiecesBaseFee;
        uint256 addPiecesPerPieceFee;
        uint256 schedulePieceRemovalsFee;
        uint256 terminateFee;
    }

    struct PriceListLockups {
        uint256 lifecycleReserveTarget;
        uint256 replenishThreshold;
        uint256 defaultLockupPeriod;
        uint256 cdnLockupAmount;
        uint256 cacheMissLockupAmount;
        uint256 cdnLockupPeriod;
    }

    struct PriceList {
        address token;
        PriceListRates rates;
        PriceListFees fees;
        PriceListLockups lockups;
    }

    struct ValidationResult {
        uint256 modifiedAmount;
        uint256 settleUpto;
        string note;
    }

    struct CreateRequest {
        address payer;
        uint256 clientDataSetId;
        string[] keys;
        string[] values;
        bytes signature;
    }

    struct AddRequest {
        uint256 nonce;
        string[][] keys;
        string[][] values;
        bytes signature;
    }

    struct Deployment {
        string version;
        /// Whether two empty outer arrays say that no piece of an addition has metadata.
        bool acceptsOmittedMetadata;
        PriceList prices;
        address pdpVerifier;
        address payments;
        address usdfc;
        address filBeamBeneficiary;
        address registry;
        address sessionKeys;
        uint64 maxProvingPeriod;
        uint256 challengeWindowSize;
    }

    enum DataSetStatus {
        Inactive,
        Active
    }

    string private constant DOMAIN_NAME = "FilecoinWarmStorageService";
    string private constant DOMAIN_VERSION = "1";

    uint256 private constant EPOCHS_PER_MONTH = 86400;
    uint256 private constant TIB = 1 << 40;
    uint256 private constant INACTIVITY_WINDOW = 86400;

    /// The payer's place in the real service's list of address fields.
    uint8 private constant PAYER_FIELD = 6;
    uint256 private constant CHALLENGES_PER_PROOF = 5;
    uint256 private constant NO_PROVING_DEADLINE = 0;
    uint256 private constant NO_CHALLENGE_SCHEDULED = 0;
    uint256 private constant MAX_CREATE_EXTRA_DATA = 4096;
    uint256 private constant MAX_SIGNATURE_EXTRA_DATA = 256;
    uint256 private constant MAX_KEY_LENGTH = 32;
    uint256 private constant MAX_VALUE_LENGTH = 96;
    uint256 private constant MAX_KEYS_PER_DATASET = 10;
    uint256 private constant MAX_KEYS_PER_PIECE = 3;

    bytes32 private constant DOMAIN_TYPEHASH =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant METADATA_ENTRY_TYPEHASH = keccak256("MetadataEntry(string key,string value)");
    bytes32 private constant CID_TYPEHASH = keccak256("Cid(bytes data)");
    bytes32 private constant PIECE_METADATA_TYPEHASH = keccak256(
        "PieceMetadata(uint256 pieceIndex,MetadataEntry[] metadata)MetadataEntry(string key,string value)"
    );
    bytes32 private constant CREATE_DATA_SET_TYPEHASH = keccak256(
        "CreateDataSet(uint256 clientDataSetId,address payee,MetadataEntry[] metadata)MetadataEntry(string key,string value)"
    );
    bytes32 private constant ADD_PIECES_TYPEHASH = keccak256(
        "AddPieces(uint256 clientDataSetId,uint256 nonce,Cid[] pieceData,PieceMetadata[] pieceMetadata)Cid(bytes data)MetadataEntry(string key,string value)PieceMetadata(uint256 pieceIndex,MetadataEntry[] metadata)"
    );
    bytes32 private constant SCHEDULE_PIECE_REMOVALS_TYPEHASH =
        keccak256("SchedulePieceRemovals(uint256 clientDataSetId,uint256[] pieceIds)");
    bytes32 private constant TERMINATE_SERVICE_TYPEHASH = keccak256("TerminateService(uint256 dataSetId)");

    address public immutable owner = msg.sender;
    address public immutable pdpVerifierAddress;
    address public immutable paymentsContractAddress;
    address public immutable usdfcTokenAddress;
    address public immutable filBeamBeneficiaryAddress;
    address public immutable serviceProviderRegistry;
    address public immutable sessionKeyRegistry;
    uint64 private immutable maxProvingPeriod;
    uint256 private immutable challengeWindowSize;
    bool private immutable acceptsOmittedMetadata;
    string public VERSION;
    PriceList private priceList;

    /// @notice Used nonces, for ever: data set id below, next piece id after that call in the upper 128 bits.
    mapping(address payer => mapping(uint256 nonce => uint256)) public clientNonces;
    mapping(uint256 railId => uint256) public railToDataSet;
    mapping(uint256 dataSetId => uint256) public provingActivationEpoch;
    mapping(uint256 dataSetId => uint256) public provingDeadline;
    mapping(uint256 dataSetId => bool) public provenThisPeriod;
    mapping(uint256 dataSetId => mapping(uint256 periodId => bool)) public provenPeriods;
    mapping(uint256 providerId => bool) public isProviderApproved;
    mapping(uint256 dataSetId => DataSetInfoView) private dataSets;
    mapping(address payer => uint256[]) private payerDataSets;
    mapping(uint256 dataSetId => string[]) private dataSetKeys;
    mapping(uint256 dataSetId => mapping(string key => string)) private dataSetMetadata;
    mapping(uint256 dataSetId => bool) private hasScheduledRemovals;
    uint256[] private approvedProviderIds;

    event DataSetCreated(
        uint256 indexed dataSetId,
        uint256 indexed providerId,
        uint256 pdpRailId,
        uint256 cacheMissRailId,
        uint256 cdnRailId,
        address payer,
        address serviceProvider,
        address payee,
        string[] metadataKeys,
        string[] metadataValues
    );
    event PieceAdded(uint256 indexed dataSetId, uint256 indexed pieceId, Cid pieceCid, string[] keys, string[] values);
    event FaultRecord(uint256 indexed dataSetId, uint256 periodsFaulted, uint256 deadline);
    event ServiceTerminated(
        address indexed approver,
        uint256 indexed dataSetId,
        uint256 pdpRailId,
        uint256 cacheMissRailId,
        uint256 cdnRailId
    );
    event PDPPaymentTerminated(uint256 indexed dataSetId, uint256 endEpoch, uint256 pdpRailId);
    event CDNServiceTerminated(
        address indexed caller, uint256 indexed dataSetId, uint256 cacheMissRailId, uint256 cdnRailId
    );
    event DataSetAbandoned(uint256 indexed dataSetId, uint256 pdpRailId, uint256 cacheMissRailId, uint256 cdnRailId);
    event RailRateUpdated(uint256 indexed dataSetId, uint256 railId, uint256 newRate);
    event ProviderApproved(uint256 indexed providerId);
    event ProviderUnapproved(uint256 indexed providerId);

    error OwnableUnauthorizedAccount(address account);
    error OnlyPDPVerifierAllowed(address expected, address actual);
    error InvalidChallengeWindowSize(uint256 maxProvingPeriod, uint256 challengeWindowSize);
    error ProvingPeriodNotInitialized(uint256 dataSetId);
    error InvalidSignature(address expected, address actual);
    error InvalidSignatureLength(uint256 expectedLength, uint256 actualLength);
    error UnsupportedSignatureV(uint8 v);
    error ExtraDataRequired();
    error ExtraDataTooLarge(uint256 actualSize, uint256 maxAllowedSize);
    error ZeroAddress(uint8 field);
    error DataSetNotRegistered(uint256 dataSetId);
    error ClientDataSetAlreadyRegistered(uint256 clientDataSetId);
    error ProofAlreadySubmitted(uint256 dataSetId);
    error InvalidChallengeCount(uint256 dataSetId, uint256 minExpected, uint256 actual);
    error ProvingNotStarted(uint256 dataSetId);
    error ProvingPeriodPassed(uint256 dataSetId, uint256 deadline, uint256 nowBlock);
    error ChallengeWindowTooEarly(uint256 dataSetId, uint256 windowStart, uint256 nowBlock);
    error InvalidChallengeEpoch(uint256 dataSetId, uint256 minAllowed, uint256 maxAllowed, uint256 actual);
    error NextProvingPeriodAlreadyCalled(uint256 dataSetId, uint256 periodDeadline, uint256 nowBlock);
    error DataSetPaymentAlreadyTerminated(uint256 dataSetId);
    error DataSetPaymentBeyondEndEpoch(uint256 dataSetId, uint256 pdpEndEpoch, uint256 currentBlock);
    error InvalidDataSetId(uint256 dataSetId);
    error CallerNotPayerOrPayee(uint256 dataSetId, address expectedPayer, address expectedPayee, address caller);
    error CallerNotPayer(uint256 dataSetId, address expectedPayer, address caller);
    error CallerNotServiceProvider(uint256 dataSetId, address expectedServiceProvider, address caller);
    error CallerNotPayments(address expected, address actual);
    error InvalidEpochRange(uint256 fromEpoch, uint256 toEpoch);
    error ServiceContractMustTerminateRail();
    error DataSetNotFoundForRail(uint256 railId);
    error ProviderNotRegistered(address provider);
    error ProviderAlreadyApproved(uint256 providerId);
    error ProviderNotInApprovedList(uint256 providerId);
    error ProviderIdMismatchAtIndex(uint256 index, uint256 providerId);
    error MetadataKeyAndValueLengthMismatch(uint256 keysLength, uint256 valuesLength);
    error TooManyMetadataKeys(uint256 maxAllowed, uint256 keysLength);
    error DuplicateMetadataKey(uint256 dataSetId, string key);
    error MetadataKeyExceedsMaxLength(uint256 index, uint256 maxAllowed, uint256 length);
    error MetadataValueExceedsMaxLength(uint256 index, uint256 maxAllowed, uint256 length);
    error MetadataArrayCountMismatch(uint256 metadataArrayCount, uint256 pieceCount);
    error PaymentRailsNotFinalized(uint256 dataSetId, uint256 pdpEndEpoch);
    error RailNotFullySettled(uint256 railId, uint256 settledUpTo, uint256 endEpoch);
    error InsufficientLockupFunds(address payer, uint256 required, uint256 available);
    error OperatorNotApproved(address payer, address operator);
    error InsufficientRateAllowance(
        address payer, address operator, uint256 rateAllowance, uint256 rateUsage, uint256 rateRequired
    );
    error InsufficientLockupAllowance(
        address payer, address operator, uint256 lockupAllowance, uint256 lockupUsage, uint256 lockupRequired
    );
    error InsufficientMaxLockupPeriod(
        address payer, address operator, uint256 maxLockupPeriod, uint256 requiredLockupPeriod
    );
    error DataSetNotAbandoned(uint256 dataSetId, uint256 requiredEpoch, uint256 currentBlock);

    modifier onlyOwner() {
        require(msg.sender == owner, OwnableUnauthorizedAccount(msg.sender));
        _;
    }

    modifier onlyVerifier() {
        require(msg.sender == pdpVerifierAddress, OnlyPDPVerifierAllowed(pdpVerifierAddress, msg.sender));
        _;
    }

    constructor(Deployment memory deployment) {
        require(
            deployment.challengeWindowSize > 0 && deployment.challengeWindowSize < deployment.maxProvingPeriod,
            InvalidChallengeWindowSize(deployment.maxProvingPeriod, deployment.challengeWindowSize)
        );
        pdpVerifierAddress = deployment.pdpVerifier;
        paymentsContractAddress = deployment.payments;
        usdfcTokenAddress = deployment.usdfc;
        filBeamBeneficiaryAddress = deployment.filBeamBeneficiary;
        serviceProviderRegistry = deployment.registry;
        sessionKeyRegistry = deployment.sessionKeys;
        maxProvingPeriod = deployment.maxProvingPeriod;
        challengeWindowSize = deployment.challengeWindowSize;
        acceptsOmittedMetadata = deployment.acceptsOmittedMetadata;
        VERSION = deployment.version;
        priceList = deployment.prices;
    }

    // Approved providers, by the owner.

    function addApprovedProvider(uint256 providerId) external onlyOwner {
        require(!isProviderApproved[providerId], ProviderAlreadyApproved(providerId));
        isProviderApproved[providerId] = true;
        approvedProviderIds.push(providerId);
        emit ProviderApproved(providerId);
    }

    function removeApprovedProvider(uint256 providerId, uint256 index) external onlyOwner {
        require(isProviderApproved[providerId], ProviderNotInApprovedList(providerId));
        require(approvedProviderIds[index] == providerId, ProviderIdMismatchAtIndex(index, providerId));
        isProviderApproved[providerId] = false;
        approvedProviderIds[index] = approvedProviderIds[approvedProviderIds.length - 1];
        approvedProviderIds.pop();
        emit ProviderUnapproved(providerId);
    }

    // Listener hooks, by the verifier.

    function dataSetCreated(uint256 dataSetId, address serviceProvider, bytes calldata extraData)
        external
        onlyVerifier
    {
        require(extraData.length > 0, ExtraDataRequired());
        require(
            extraData.length <= MAX_CREATE_EXTRA_DATA, ExtraDataTooLarge(extraData.length, MAX_CREATE_EXTRA_DATA)
        );
        CreateRequest memory request;
        (request.payer, request.clientDataSetId, request.keys, request.values, request.signature) =
            abi.decode(extraData, (address, uint256, string[], string[], bytes));
        require(request.payer != address(0), ZeroAddress(PAYER_FIELD));
        uint256 providerId = IRegistry(serviceProviderRegistry).getProviderIdByAddress(serviceProvider);
        require(providerId != 0, ProviderNotRegistered(serviceProvider));

        _useNonce(request.payer, request.clientDataSetId, dataSetId);
        payerDataSets[request.payer].push(dataSetId);
        DataSetInfoView storage info = dataSets[dataSetId];
        info.payer = request.payer;
        info.payee = IRegistry(serviceProviderRegistry).getProviderPayee(providerId);
        info.serviceProvider = serviceProvider;
        info.clientDataSetId = request.clientDataSetId;
        info.providerId = providerId;
        info.dataSetId = dataSetId;
        _checkSignature(
            request.payer,
            CREATE_DATA_SET_TYPEHASH,
            keccak256(
                abi.encode(
                    CREATE_DATA_SET_TYPEHASH,
                    request.clientDataSetId,
                    info.payee,
                    _hashMetadata(request.keys, request.values)
                )
            ),
            request.signature
        );
        _requireMetadata(dataSetId, request.keys, request.values, MAX_KEYS_PER_DATASET);
        dataSetKeys[dataSetId] = request.keys;
        for (uint256 i = 0; i < request.keys.length; i++) {
            dataSetMetadata[dataSetId][request.keys[i]] = request.values[i];
        }
        _createRails(info, _hasCdn(request.keys));
        emit DataSetCreated(
            dataSetId,
            providerId,
            info.pdpRailId,
            info.cacheMissRailId,
            info.cdnRailId,
            request.payer,
            serviceProvider,
            info.payee,
            request.keys,
            request.values
        );
    }

    function piecesAdded(uint256 dataSetId, uint256 firstAdded, Cid[] calldata pieceData, bytes calldata extraData)
        external
        onlyVerifier
    {
        DataSetInfoView storage info = _requireUnterminated(dataSetId);
        require(extraData.length > 0, ExtraDataRequired());
        AddRequest memory request;
        (request.nonce, request.keys, request.values, request.signature) =
            abi.decode(extraData, (uint256, string[][], string[][], bytes));

        _useNonce(info.payer, request.nonce, ((firstAdded + pieceData.length) << 128) | dataSetId);
        bool isOmitted = acceptsOmittedMetadata && request.keys.length == 0 && request.values.length == 0;
        require(
            isOmitted || request.keys.length == pieceData.length,
            MetadataArrayCountMismatch(request.keys.length, pieceData.length)
        );
        require(
            isOmitted || request.values.length == pieceData.length,
            MetadataArrayCountMismatch(request.values.length, pieceData.length)
        );
        _checkSignature(
            info.payer,
            ADD_PIECES_TYPEHASH,
            keccak256(
                abi.encode(
                    ADD_PIECES_TYPEHASH,
                    info.clientDataSetId,
                    request.nonce,
                    _hashCids(pieceData),
                    _hashPieceMetadata(request.keys, request.values)
                )
            ),
            request.signature
        );

        info.pendingOneTimePayments += uint96(
            priceList.fees.addPiecesBaseFee + pieceData.length * priceList.fees.addPiecesPerPieceFee
        );
        _updateRate(info, IVerifier(pdpVerifierAddress).getDataSetLeafCount(dataSetId), false);
        string[] memory none = new string[](0);
        for (uint256 i = 0; i < pieceData.length; i++) {
            string[] memory keys = isOmitted ? none : request.keys[i];
            string[] memory values = isOmitted ? none : request.values[i];
            _requireMetadata(dataSetId, keys, values, MAX_KEYS_PER_PIECE);
            emit PieceAdded(dataSetId, firstAdded + i, pieceData[i], keys, values);
        }
    }

    function piecesScheduledRemove(uint256 dataSetId, uint256[] calldata pieceIds, bytes calldata extraData)
        external
        onlyVerifier
    {
        DataSetInfoView storage info = dataSets[dataSetId];
        _requireNotBeyondEnd(info, dataSetId);
        require(info.pdpRailId != 0, DataSetNotRegistered(dataSetId));
        _checkSignature(
            info.payer,
            SCHEDULE_PIECE_REMOVALS_TYPEHASH,
            keccak256(
                abi.encode(
                    SCHEDULE_PIECE_REMOVALS_TYPEHASH, info.clientDataSetId, keccak256(abi.encodePacked(pieceIds))
                )
            ),
            _decodeSignature(extraData)
        );
        info.pendingOneTimePayments += uint96(priceList.fees.schedulePieceRemovalsFee);
        _replenishReserve(info);
        hasScheduledRemovals[dataSetId] = true;
    }

    function possessionProven(uint256 dataSetId, uint256, uint256, uint256 challengeCount) external onlyVerifier {
        _requireNotBeyondEnd(dataSets[dataSetId], dataSetId);
        require(!provenThisPeriod[dataSetId], ProofAlreadySubmitted(dataSetId));
        require(
            challengeCount >= CHALLENGES_PER_PROOF,
            InvalidChallengeCount(dataSetId, CHALLENGES_PER_PROOF, challengeCount)
        );
        uint256 deadline = provingDeadline[dataSetId];
        require(deadline != NO_PROVING_DEADLINE, ProvingNotStarted(dataSetId));
        require(block.number <= deadline, ProvingPeriodPassed(dataSetId, deadline, block.number));
        uint256 windowStart = deadline - challengeWindowSize;
        require(block.number >= windowStart, ChallengeWindowTooEarly(dataSetId, windowStart, block.number));
        provenThisPeriod[dataSetId] = true;
        provenPeriods[dataSetId][getProvingPeriodForEpoch(dataSetId, block.number)] = true;
    }

    function nextProvingPeriod(uint256 dataSetId, uint256 challengeEpoch, uint256 leafCount, bytes calldata)
        external
        onlyVerifier
    {
        DataSetInfoView storage info = dataSets[dataSetId];
        _requireNotBeyondEnd(info, dataSetId);
        uint256 deadline = provingDeadline[dataSetId];
        if (deadline == NO_PROVING_DEADLINE) {
            provingDeadline[dataSetId] = _firstDeadline(dataSetId);
            _requireInWindow(dataSetId, challengeEpoch, provingDeadline[dataSetId]);
        } else {
            uint256 periodStart = deadline - maxProvingPeriod;
            require(block.number > periodStart, NextProvingPeriodAlreadyCalled(dataSetId, periodStart, block.number));
            uint256 skipped = block.number <= deadline ? 0 : (block.number - deadline - 1) / maxProvingPeriod;
            uint256 nextDeadline = NO_PROVING_DEADLINE;
            if (challengeEpoch != NO_CHALLENGE_SCHEDULED) {
                nextDeadline = deadline + maxProvingPeriod * (skipped + 1);
                _requireInWindow(dataSetId, challengeEpoch, nextDeadline);
            }
            uint256 faults = skipped + (provenThisPeriod[dataSetId] ? 0 : 1);
            if (faults > 0) emit FaultRecord(dataSetId, faults, deadline);
            provingDeadline[dataSetId] = nextDeadline;
            provenThisPeriod[dataSetId] = false;
        }
        if (hasScheduledRemovals[dataSetId] || info.pendingOneTimePayments > 0) _updateRate(info, leafCount, false);
        delete hasScheduledRemovals[dataSetId];
    }

    function dataSetDeleted(uint256 dataSetId, uint256, bytes calldata) external onlyVerifier {
        DataSetInfoView storage info = dataSets[dataSetId];
        require(info.pdpRailId != 0, DataSetNotRegistered(dataSetId));
        if (info.pdpEndEpoch == 0) {
            _requireInactive(dataSetId);
            _abandonRails(info);
        } else {
            require(block.number >= info.pdpEndEpoch, PaymentRailsNotFinalized(dataSetId, info.pdpEndEpoch));
            // A finalized rail is gone, so it was fully settled.
            try IPay(paymentsContractAddress).getRail(info.pdpRailId) returns (IPay.RailView memory rail) {
                require(
                    rail.settledUpTo >= rail.endEpoch,
                    RailNotFullySettled(info.pdpRailId, rail.settledUpTo, rail.endEpoch)
                );
            } catch {}
            _terminateCdnRails(info);
        }
        _dropDataSet(dataSetId, info.payer);
    }

    // Termination and top-up, by the payer or the provider.

    function terminateService(uint256 dataSetId) external {
        DataSetInfoView storage info = _requireUnterminated(dataSetId);
        require(
            msg.sender == info.payer || msg.sender == info.serviceProvider,
            CallerNotPayerOrPayee(dataSetId, info.payer, info.serviceProvider, msg.sender)
        );
        _terminate(info, msg.sender, false);
    }

    /// @notice By the provider with the payer's signature: ends at once instead of after the lockup period.
    function terminateService(uint256 dataSetId, bytes calldata extraData) external {
        DataSetInfoView storage info = _requireUnterminated(dataSetId);
        require(
            msg.sender == info.serviceProvider, CallerNotServiceProvider(dataSetId, info.serviceProvider, msg.sender)
        );
        address approver = _checkSignature(
            info.payer,
            TERMINATE_SERVICE_TYPEHASH,
            keccak256(abi.encode(TERMINATE_SERVICE_TYPEHASH, dataSetId)),
            _decodeSignature(extraData)
        );
        info.pendingOneTimePayments += uint96(priceList.fees.terminateFee);
        _terminate(info, approver, true);
    }

    function topUpLifecycleReserve(uint256 dataSetId, uint256 amount) external {
        DataSetInfoView storage info = _requireUnterminated(dataSetId);
        require(msg.sender == info.payer, CallerNotPayer(dataSetId, info.payer, msg.sender));
        info.lifecycleReserveBalance += uint96(amount);
        _lockRail(info.pdpRailId, priceList.lockups.defaultLockupPeriod, info.lifecycleReserveBalance);
    }

    // Validator hooks, by the payments contract.

    function railTerminated(uint256 railId, address terminator, uint256 endEpoch) external {
        require(msg.sender == paymentsContractAddress, CallerNotPayments(paymentsContractAddress, msg.sender));
        require(terminator == address(this), ServiceContractMustTerminateRail());
        uint256 dataSetId = railToDataSet[railId];
        require(dataSetId != 0, DataSetNotFoundForRail(railId));
        DataSetInfoView storage info = dataSets[dataSetId];
        if (info.pdpEndEpoch == 0 && railId == info.pdpRailId) {
            info.pdpEndEpoch = endEpoch;
            emit PDPPaymentTerminated(dataSetId, endEpoch, railId);
        }
    }

    /// @notice Pays only proven periods; unproven past periods settle at zero, the open one blocks.
    function validatePayment(uint256 railId, uint256 proposedAmount, uint256 fromEpoch, uint256 toEpoch, uint256)
        external
        view
        returns (ValidationResult memory)
    {
        uint256 dataSetId = railToDataSet[railId];
        if (dataSetId == 0) return ValidationResult(0, toEpoch, "Rail not associated with a data set");
        require(toEpoch > fromEpoch, InvalidEpochRange(fromEpoch, toEpoch));
        uint256 activation = provingActivationEpoch[dataSetId];
        if (activation == 0 || toEpoch <= activation) return ValidationResult(0, toEpoch, "No proving activity");
        (uint256 proven, uint256 settleUpTo) = _countProvenEpochs(dataSetId, fromEpoch, toEpoch, activation);
        if (proven == 0) return ValidationResult(0, settleUpTo, "No proven epochs in the requested range");
        return ValidationResult((proposedAmount * proven) / (toEpoch - fromEpoch), settleUpTo, "");
    }

    // Reads: service.

    function viewContractAddress() external view returns (address) {
        return address(this);
    }

    function eip712Domain()
        external
        view
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        return (0x0f, DOMAIN_NAME, DOMAIN_VERSION, block.chainid, address(this), 0, new uint256[](0));
    }

    function getServicePrice() external view returns (ServicePricing memory) {
        PriceListRates storage rates = priceList.rates;
        return ServicePricing(
            rates.storagePerTibPerMonth,
            rates.cdnEgressPerTib,
            rates.cacheMissEgressPerTib,
            usdfcTokenAddress,
            EPOCHS_PER_MONTH,
            rates.datasetFeePerMonth
        );
    }

    function getPriceList() external view returns (PriceList memory) {
        return priceList;
    }

    function getCurrentPricingRates() external view returns (uint256 storagePrice, uint256 datasetFee) {
        return (priceList.rates.storagePerTibPerMonth, priceList.rates.datasetFeePerMonth);
    }

    function serviceCommissionBps() external pure returns (uint256) {
        return 0;
    }

    function getApprovedProvidersLength() external view returns (uint256) {
        return approvedProviderIds.length;
    }

    function getApprovedProviders(uint256 offset, uint256 limit) external view returns (uint256[] memory) {
        return _slice(approvedProviderIds, offset, limit);
    }

    // Reads: data sets and pieces.

    function getDataSet(uint256 dataSetId) external view returns (DataSetInfoView memory info) {
        info = dataSets[dataSetId];
        info.dataSetId = dataSetId;
    }

    function clientDataSets(address payer) external view returns (uint256[] memory) {
        return _slice(payerDataSets[payer], 0, 0);
    }

    function clientDataSets(address payer, uint256 offset, uint256 limit) external view returns (uint256[] memory) {
        return _slice(payerDataSets[payer], offset, limit);
    }

    function getClientDataSetsLength(address payer) external view returns (uint256) {
        return payerDataSets[payer].length;
    }

    function getClientDataSets(address client) external view returns (DataSetInfoView[] memory) {
        return _dataSetsOf(_slice(payerDataSets[client], 0, 0));
    }

    function getClientDataSets(address client, uint256 offset, uint256 limit)
        external
        view
        returns (DataSetInfoView[] memory)
    {
        return _dataSetsOf(_slice(payerDataSets[client], offset, limit));
    }

    function getDataSetStatus(uint256 dataSetId) external view returns (DataSetStatus) {
        bool isActive = dataSets[dataSetId].pdpRailId != 0 && provingActivationEpoch[dataSetId] != 0;
        return isActive ? DataSetStatus.Active : DataSetStatus.Inactive;
    }

    function getDataSetMetadata(uint256 dataSetId, string calldata key)
        external
        view
        returns (bool exists, string memory value)
    {
        return _find(dataSetKeys[dataSetId], dataSetMetadata[dataSetId], key);
    }

    function getAllDataSetMetadata(uint256 dataSetId)
        external
        view
        returns (string[] memory keys, string[] memory values)
    {
        return _all(dataSetKeys[dataSetId], dataSetMetadata[dataSetId]);
    }

    // Reads: proving.

    function getPDPConfig() external view returns (uint64, uint256, uint256, uint256) {
        return (
            maxProvingPeriod,
            challengeWindowSize,
            CHALLENGES_PER_PROOF,
            block.number + maxProvingPeriod - challengeWindowSize
        );
    }

    function nextPDPChallengeWindowStart(uint256 dataSetId) external view returns (uint256) {
        uint256 deadline = provingDeadline[dataSetId];
        uint256 activation = provingActivationEpoch[dataSetId];
        require(activation != 0, ProvingPeriodNotInitialized(dataSetId));
        if (deadline == NO_PROVING_DEADLINE) {
            return _resumedDeadline(activation) - challengeWindowSize;
        }
        uint256 skipped = block.number <= deadline ? 0 : (block.number - deadline - 1) / maxProvingPeriod;
        return deadline + maxProvingPeriod * (skipped + 1) - challengeWindowSize;
    }

    /// @notice Period N covers (activation + N·length, activation + (N+1)·length].
    function getProvingPeriodForEpoch(uint256 dataSetId, uint256 epoch) public view returns (uint256) {
        uint256 activation = provingActivationEpoch[dataSetId];
        if (activation == 0 || epoch <= activation) return type(uint256).max;
        return (epoch - activation - 1) / maxProvingPeriod;
    }

    // Inside: signatures.

    function _useNonce(address payer, uint256 nonce, uint256 landedAs) private {
        require(clientNonces[payer][nonce] == 0, ClientDataSetAlreadyRegistered(nonce));
        clientNonces[payer][nonce] = landedAs;
    }

    function _decodeSignature(bytes calldata extraData) private pure returns (bytes memory) {
        require(extraData.length > 0, ExtraDataRequired());
        require(
            extraData.length <= MAX_SIGNATURE_EXTRA_DATA,
            ExtraDataTooLarge(extraData.length, MAX_SIGNATURE_EXTRA_DATA)
        );
        return abi.decode(extraData, (bytes));
    }

    /// @dev The payer's own key, or a session key the payer has allowed this operation.
    function _checkSignature(address payer, bytes32 permission, bytes32 structHash, bytes memory signature)
        private
        view
        returns (address signer)
    {
        require(signature.length == 65, InvalidSignatureLength(65, signature.length));
        bytes32 r;
        bytes32 s;
        uint8 v;
        assembly ("memory-safe") {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
        require(v < 2 || v == 27 || v == 28, UnsupportedSignatureV(v));
        bytes32 domain = keccak256(
            abi.encode(
                DOMAIN_TYPEHASH,
                keccak256(bytes(DOMAIN_NAME)),
                keccak256(bytes(DOMAIN_VERSION)),
                block.chainid,
                address(this)
            )
        );
        signer = ecrecover(keccak256(abi.encodePacked("\x19\x01", domain, structHash)), v < 2 ? v + 27 : v, r, s);
        if (signer == payer) return signer;
        require(
            ISessionKeys(sessionKeyRegistry).authorizationExpiry(payer, signer, permission) >= block.timestamp,
            InvalidSignature(payer, signer)
        );
    }

    function _hashMetadata(string[] memory keys, string[] memory values) private pure returns (bytes32) {
        require(keys.length == values.length, MetadataKeyAndValueLengthMismatch(keys.length, values.length));
        bytes32[] memory hashes = new bytes32[](keys.length);
        for (uint256 i = 0; i < keys.length; i++) {
            hashes[i] =
                keccak256(abi.encode(METADATA_ENTRY_TYPEHASH, keccak256(bytes(keys[i])), keccak256(bytes(values[i]))));
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function _hashPieceMetadata(string[][] memory keys, string[][] memory values) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](keys.length);
        for (uint256 i = 0; i < keys.length; i++) {
            hashes[i] = keccak256(abi.encode(PIECE_METADATA_TYPEHASH, i, _hashMetadata(keys[i], values[i])));
        }
        return keccak256(abi.encodePacked(hashes));
    }

    function _hashCids(Cid[] calldata cids) private pure returns (bytes32) {
        bytes32[] memory hashes = new bytes32[](cids.length);
        for (uint256 i = 0; i < cids.length; i++) {
            hashes[i] = keccak256(abi.encode(CID_TYPEHASH, keccak256(cids[i].data)));
        }
        return keccak256(abi.encodePacked(hashes));
    }

    // Inside: metadata.

    function _requireMetadata(uint256 dataSetId, string[] memory keys, string[] memory values, uint256 keysMax)
        private
        pure
    {
        require(keys.length == values.length, MetadataKeyAndValueLengthMismatch(keys.length, values.length));
        require(keys.length <= keysMax, TooManyMetadataKeys(keysMax, keys.length));
        for (uint256 i = 0; i < keys.length; i++) {
            uint256 keyLength = bytes(keys[i]).length;
            uint256 valueLength = bytes(values[i]).length;
            require(keyLength <= MAX_KEY_LENGTH, MetadataKeyExceedsMaxLength(i, MAX_KEY_LENGTH, keyLength));
            require(valueLength <= MAX_VALUE_LENGTH, MetadataValueExceedsMaxLength(i, MAX_VALUE_LENGTH, valueLength));
            for (uint256 j = 0; j < i; j++) {
                require(keccak256(bytes(keys[i])) != keccak256(bytes(keys[j])), DuplicateMetadataKey(dataSetId, keys[i]));
            }
        }
    }

    function _dropMetadata(string[] storage keys, mapping(string => string) storage stored) private {
        for (uint256 i = 0; i < keys.length; i++) {
            delete stored[keys[i]];
        }
    }

    function _find(string[] storage keys, mapping(string => string) storage stored, string calldata key)
        private
        view
        returns (bool exists, string memory value)
    {
        for (uint256 i = 0; i < keys.length; i++) {
            if (keccak256(bytes(keys[i])) == keccak256(bytes(key))) return (true, stored[key]);
        }
    }

    function _all(string[] storage storedKeys, mapping(string => string) storage stored)
        private
        view
        returns (string[] memory keys, string[] memory values)
    {
        keys = storedKeys;
        values = new string[](keys.length);
        for (uint256 i = 0; i < keys.length; i++) {
            values[i] = stored[keys[i]];
        }
    }

    // Inside: money.

    function _hasCdn(string[] memory keys) private pure returns (bool) {
        for (uint256 i = 0; i < keys.length; i++) {
            if (keccak256(bytes(keys[i])) == keccak256("withCDN")) return true;
        }
        return false;
    }

    function _createRail(address payer, address payee, address validator) private returns (uint256) {
        return IPay(paymentsContractAddress).createRail(usdfcTokenAddress, payer, payee, validator, 0, address(this));
    }

    function _lockRail(uint256 railId, uint256 period, uint256 lockupFixed) private {
        IPay(paymentsContractAddress).modifyRailLockup(railId, period, lockupFixed);
    }

    function _createRails(DataSetInfoView storage info, bool hasCdn) private {
        _requireFunds(info.payer, hasCdn);
        info.pdpRailId = _createRail(info.payer, info.payee, address(this));
        _lockRail(info.pdpRailId, priceList.lockups.defaultLockupPeriod, priceList.lockups.lifecycleReserveTarget);
        railToDataSet[info.pdpRailId] = info.dataSetId;
        info.lifecycleReserveBalance = uint96(priceList.lockups.lifecycleReserveTarget);
        info.pendingOneTimePayments = uint96(priceList.fees.createDataSetFee);
        if (!hasCdn) return;
        info.cacheMissRailId = _createRail(info.payer, info.payee, address(0));
        _lockRail(info.cacheMissRailId, priceList.lockups.cdnLockupPeriod, priceList.lockups.cacheMissLockupAmount);
        info.cdnRailId = _createRail(info.payer, filBeamBeneficiaryAddress, address(0));
        _lockRail(info.cdnRailId, priceList.lockups.cdnLockupPeriod, priceList.lockups.cdnLockupAmount);
    }

    function _requireFunds(address payer, bool hasCdn) private view {
        PriceListLockups memory lockups = priceList.lockups;
        uint256 lockupPeriod = lockups.defaultLockupPeriod;
        uint256 monthlyFee = priceList.rates.datasetFeePerMonth;
        uint256 required = (monthlyFee * lockupPeriod) / EPOCHS_PER_MONTH + lockups.lifecycleReserveTarget;
        if (hasCdn) required += lockups.cacheMissLockupAmount + lockups.cdnLockupAmount;
        IPay payments = IPay(paymentsContractAddress);
        (,, uint256 available,) = payments.getAccountInfoIfSettled(usdfcTokenAddress, payer);
        require(available >= required, InsufficientLockupFunds(payer, required, available));
        (
            bool isApproved,
            uint256 rateAllowance,
            uint256 lockupAllowance,
            uint256 rateUsage,
            uint256 lockupUsage,
            uint256 maxLockupPeriod
        ) = payments.operatorApprovals(usdfcTokenAddress, payer, address(this));
        uint256 rateRequired = monthlyFee / EPOCHS_PER_MONTH;
        require(isApproved, OperatorNotApproved(payer, address(this)));
        require(
            rateAllowance >= rateUsage + rateRequired,
            InsufficientRateAllowance(payer, address(this), rateAllowance, rateUsage, rateRequired)
        );
        require(
            lockupAllowance >= lockupUsage + required,
            InsufficientLockupAllowance(payer, address(this), lockupAllowance, lockupUsage, required)
        );
        require(
            maxLockupPeriod >= lockupPeriod,
            InsufficientMaxLockupPeriod(payer, address(this), maxLockupPeriod, lockupPeriod)
        );
    }

    function _ratePerEpoch(uint256 leafCount) private view returns (uint256) {
        if (leafCount == 0) return 0;
        return (PieceCids.leafCountToRawSize(leafCount) * priceList.rates.storagePerTibPerMonth) / (TIB * EPOCHS_PER_MONTH)
            + priceList.rates.datasetFeePerMonth / EPOCHS_PER_MONTH;
    }

    /// @dev Terminated rails may not have their fixed lockup raised.
    function _replenishReserve(DataSetInfoView storage info) private {
        uint96 pending = info.pendingOneTimePayments;
        if (info.pdpEndEpoch != 0 || info.lifecycleReserveBalance >= pending + priceList.lockups.replenishThreshold) return;
        info.lifecycleReserveBalance = uint96(priceList.lockups.lifecycleReserveTarget) + pending;
        _lockRail(info.pdpRailId, priceList.lockups.defaultLockupPeriod, info.lifecycleReserveBalance);
    }

    /// @dev Sets the rate for the stored size and pays the pending fees out of the reserve.
    function _updateRate(DataSetInfoView storage info, uint256 leafCount, bool endsNow) private {
        uint96 pending = info.pendingOneTimePayments;
        if (endsNow) {
            _lockRail(info.pdpRailId, 0, pending);
            info.lifecycleReserveBalance = 0;
        } else {
            _replenishReserve(info);
            if (info.lifecycleReserveBalance < pending) pending = info.lifecycleReserveBalance;
            info.lifecycleReserveBalance -= pending;
        }
        info.pendingOneTimePayments = 0;
        uint256 rate = _ratePerEpoch(leafCount);
        IPay(paymentsContractAddress).modifyRailPayment(info.pdpRailId, rate, pending);
        emit RailRateUpdated(info.dataSetId, info.pdpRailId, rate);
    }

    function _requireUnterminated(uint256 dataSetId) private view returns (DataSetInfoView storage info) {
        info = dataSets[dataSetId];
        require(info.pdpRailId != 0, InvalidDataSetId(dataSetId));
        require(info.pdpEndEpoch == 0, DataSetPaymentAlreadyTerminated(dataSetId));
    }

    function _requireNotBeyondEnd(DataSetInfoView storage info, uint256 dataSetId) private view {
        require(
            info.pdpEndEpoch == 0 || block.number <= info.pdpEndEpoch,
            DataSetPaymentBeyondEndEpoch(dataSetId, info.pdpEndEpoch, block.number)
        );
    }

    function _terminate(DataSetInfoView storage info, address approver, bool endsNow) private {
        if (info.pendingOneTimePayments > 0) {
            _updateRate(info, IVerifier(pdpVerifierAddress).getDataSetLeafCount(info.dataSetId), endsNow);
        }
        IPay(paymentsContractAddress).terminateRail(info.pdpRailId);
        emit ServiceTerminated(approver, info.dataSetId, info.pdpRailId, info.cacheMissRailId, info.cdnRailId);
    }

    function _terminateCdnRails(DataSetInfoView storage info) private {
        if (info.cdnRailId == 0) return;
        // The payer may have ended these rails already.
        try IPay(paymentsContractAddress).terminateRail(info.cacheMissRailId) {} catch {}
        try IPay(paymentsContractAddress).terminateRail(info.cdnRailId) {} catch {}
        emit CDNServiceTerminated(msg.sender, info.dataSetId, info.cacheMissRailId, info.cdnRailId);
    }

    function _requireInactive(uint256 dataSetId) private view {
        if (provingActivationEpoch[dataSetId] == 0) return;
        uint256 required = IVerifier(pdpVerifierAddress).getDataSetLastProvenEpoch(dataSetId) + INACTIVITY_WINDOW;
        require(block.number > required, DataSetNotAbandoned(dataSetId, required, block.number));
    }

    /// @dev Ends an abandoned data set in one go: pay what was proven, release the rest.
    function _abandonRails(DataSetInfoView storage info) private {
        IPay payments = IPay(paymentsContractAddress);
        payments.settleRail(info.pdpRailId, block.number);
        bool reserveRemains;
        // A payer in debt cannot shorten the lockup; the reserve is then released after termination.
        try payments.modifyRailLockup(info.pdpRailId, 0, 0) {}
        catch {
            reserveRemains = true;
        }
        _terminateCdnRails(info);
        delete provingActivationEpoch[info.dataSetId];
        payments.terminateRail(info.pdpRailId);
        if (reserveRemains) _lockRail(info.pdpRailId, priceList.lockups.defaultLockupPeriod, 0);
        payments.settleRail(info.pdpRailId, block.number);
        emit DataSetAbandoned(info.dataSetId, info.pdpRailId, info.cacheMissRailId, info.cdnRailId);
    }

    /// @dev Used nonces stay, so that nothing signed for this data set can ever land again.
    function _dropDataSet(uint256 dataSetId, address payer) private {
        uint256[] storage ids = payerDataSets[payer];
        for (uint256 i = 0; i < ids.length; i++) {
            if (ids[i] == dataSetId) {
                ids[i] = ids[ids.length - 1];
                ids.pop();
                break;
            }
        }
        delete provingActivationEpoch[dataSetId];
        delete provingDeadline[dataSetId];
        delete provenThisPeriod[dataSetId];
        delete railToDataSet[dataSets[dataSetId].pdpRailId];
        _dropMetadata(dataSetKeys[dataSetId], dataSetMetadata[dataSetId]);
        delete dataSetKeys[dataSetId];
        delete hasScheduledRemovals[dataSetId];
        delete dataSets[dataSetId];
    }

    // Inside: proving.

    function _firstDeadline(uint256 dataSetId) private returns (uint256) {
        uint256 activation = provingActivationEpoch[dataSetId];
        if (activation != 0) return _resumedDeadline(activation);
        provingActivationEpoch[dataSetId] = block.number;
        return block.number + maxProvingPeriod;
    }

    /// @dev A data set that was empty goes on with its old periods, with at least one whole period of headroom.
    function _resumedDeadline(uint256 activation) private view returns (uint256) {
        uint256 earliest = block.number + maxProvingPeriod;
        uint256 periods = (earliest - activation + maxProvingPeriod - 1) / maxProvingPeriod;
        return activation + periods * maxProvingPeriod;
    }

    function _requireInWindow(uint256 dataSetId, uint256 challengeEpoch, uint256 deadline) private view {
        uint256 windowStart = deadline - challengeWindowSize;
        require(
            challengeEpoch >= windowStart && challengeEpoch <= deadline,
            InvalidChallengeEpoch(dataSetId, windowStart, deadline, challengeEpoch)
        );
    }

    function _countProvenEpochs(uint256 dataSetId, uint256 fromEpoch, uint256 toEpoch, uint256 activation)
        private
        view
        returns (uint256 proven, uint256 settleUpTo)
    {
        require(toEpoch <= block.number, InvalidEpochRange(fromEpoch, toEpoch));
        if (fromEpoch < activation) fromEpoch = activation;
        settleUpTo = fromEpoch;
        uint256 last = getProvingPeriodForEpoch(dataSetId, toEpoch);
        for (uint256 period = getProvingPeriodForEpoch(dataSetId, fromEpoch + 1); period <= last; period++) {
            uint256 deadline = activation + (period + 1) * maxProvingPeriod;
            uint256 end = toEpoch < deadline ? toEpoch : deadline;
            if (provenPeriods[dataSetId][period]) {
                uint256 start = deadline - maxProvingPeriod;
                proven += end - (start > fromEpoch ? start : fromEpoch);
                settleUpTo = end;
            } else if (deadline < block.number) {
                settleUpTo = end;
            }
        }
    }

    // Inside: paging.

    function _slice(uint256[] storage all, uint256 offset, uint256 limit) private view returns (uint256[] memory page) {
        if (offset >= all.length) return new uint256[](0);
        uint256 rest = all.length - offset;
        page = new uint256[](limit == 0 || limit > rest ? rest : limit);
        for (uint256 i = 0; i < page.length; i++) {
            page[i] = all[offset + i];
        }
    }

    function _dataSetsOf(uint256[] memory ids) private view returns (DataSetInfoView[] memory infos) {
        infos = new DataSetInfoView[](ids.length);
        for (uint256 i = 0; i < ids.length; i++) {
            infos[i] = dataSets[ids[i]];
        }
    }
}
