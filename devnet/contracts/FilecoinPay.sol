// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.30;

interface IToken {
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
    function transfer(address to, uint256 amount) external returns (bool);
    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external;
}

interface IValidator {
    struct ValidationResult {
        uint256 modifiedAmount;
        uint256 settleUpto;
        string note;
    }

    function validatePayment(uint256 railId, uint256 proposedAmount, uint256 fromEpoch, uint256 toEpoch, uint256 rate)
        external
        returns (ValidationResult memory result);
    function railTerminated(uint256 railId, address terminator, uint256 endEpoch) external;
}

/// @title FilecoinPay: accounts with lockup, operator approvals and payment rails, as FilecoinPayV1.
/// @dev Epoch = block number. Left out against the real contract: native-token accounts, ERC-3009 deposits and
///      the auction that burns the collected network fees. Everything else keeps the real names, events, errors
///      and order of checks.
contract FilecoinPay {
    struct Account {
        uint256 funds;
        uint256 lockupCurrent;
        uint256 lockupRate;
        // Last epoch (inclusive) for which the lockup has been added up.
        uint256 lockupLastSettledAt;
    }

    struct OperatorApproval {
        bool isApproved;
        uint256 rateAllowance;
        uint256 lockupAllowance;
        uint256 rateUsage;
        uint256 lockupUsage;
        uint256 maxLockupPeriod;
    }

    struct RateChange {
        uint256 rate;
        // Last epoch (inclusive) this rate pays for.
        uint256 untilEpoch;
    }

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

    struct RailInfo {
        uint256 railId;
        bool isTerminated;
        uint256 endEpoch;
    }

    struct Permit {
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    uint256 public constant COMMISSION_MAX_BPS = 10000;
    uint256 public constant NETWORK_FEE_NUMERATOR = 1;
    uint256 public constant NETWORK_FEE_DENOMINATOR = 200;

    uint256 private nextRailId = 1;
    mapping(address token => mapping(address owner => Account)) public accounts;
    mapping(address token => mapping(address client => mapping(address operator => OperatorApproval))) public
        operatorApprovals;
    mapping(uint256 railId => RailView) private rails;
    mapping(uint256 railId => RateChange[]) private rateChanges;
    mapping(uint256 railId => uint256) private rateChangesHead;
    mapping(address token => mapping(address payee => uint256[])) private payeeRails;
    mapping(address token => mapping(address payer => uint256[])) private payerRails;

    event AccountLockupSettled(
        address indexed token,
        address indexed owner,
        uint256 lockupCurrent,
        uint256 lockupRate,
        uint256 lockupLastSettledAt
    );
    event OperatorApprovalUpdated(
        address indexed token,
        address indexed client,
        address indexed operator,
        bool approved,
        uint256 rateAllowance,
        uint256 lockupAllowance,
        uint256 maxLockupPeriod
    );
    event RailCreated(
        uint256 indexed railId,
        address indexed payer,
        address indexed payee,
        address token,
        address operator,
        address validator,
        address serviceFeeRecipient,
        uint256 commissionRateBps
    );
    event RailLockupModified(
        uint256 indexed railId,
        uint256 oldLockupPeriod,
        uint256 newLockupPeriod,
        uint256 oldLockupFixed,
        uint256 newLockupFixed
    );
    event RailOneTimePaymentProcessed(
        uint256 indexed railId, uint256 netPayeeAmount, uint256 operatorCommission, uint256 networkFee
    );
    event RailRateModified(uint256 indexed railId, uint256 oldRate, uint256 newRate);
    event RailSettled(
        uint256 indexed railId,
        uint256 totalSettledAmount,
        uint256 totalNetPayeeAmount,
        uint256 operatorCommission,
        uint256 networkFee,
        uint256 settledUpTo
    );
    event RailTerminated(uint256 indexed railId, address indexed by, uint256 endEpoch);
    event RailFinalized(uint256 indexed railId);
    event DepositRecorded(address indexed token, address indexed from, address indexed to, uint256 amount);
    event WithdrawRecorded(address indexed token, address indexed from, address indexed to, uint256 amount);

    error RailInactiveOrSettled(uint256 railId);
    error OnlyRailClientAllowed(address expected, address caller);
    error OnlyRailOperatorAllowed(address expected, address caller);
    error RailAlreadyTerminated(uint256 railId);
    error RailNotTerminated(uint256 railId);
    error ZeroAddressNotAllowed(string varName);
    error OneTimePaymentExceedsLockup(uint256 railId, uint256 available, uint256 required);
    error NotAuthorizedToTerminateRail(uint256 railId, address allowedClient, address allowedOperator, address caller);
    error NativeTokenNotSupported();
    error NativeTokenNotAccepted(uint256 sent);
    error InsufficientUnlockedFunds(uint256 available, uint256 requested);
    error OperatorNotApproved(address from, address operator);
    error CommissionRateTooHigh(uint256 maxAllowed, uint256 actual);
    error MissingServiceFeeRecipient();
    error InvalidTerminatedRailModification(
        uint256 actualPeriod, uint256 actualLockupFixed, uint256 attemptedPeriod, uint256 attemptedLockupFixed
    );
    error LockupPeriodChangeNotAllowedDueToInsufficientFunds(
        address token, address from, uint256 actualLockupPeriod, uint256 attemptedLockupPeriod
    );
    error LockupFixedIncreaseNotAllowedDueToInsufficientFunds(
        address token, address from, uint256 actualLockupFixed, uint256 attemptedLockupFixed
    );
    error LockupPeriodExceedsOperatorMaximum(
        address token, address operator, uint256 maxAllowedPeriod, uint256 requestedPeriod
    );
    error CannotModifyTerminatedRailBeyondEndEpoch(uint256 railId, uint256 maxSettlementEpoch, uint256 blockNumber);
    error RateChangeNotAllowedOnTerminatedRail(uint256 railId);
    error LockupNotSettledRateChangeNotAllowed(
        uint256 railId, address from, bool isSettled, uint256 currentRate, uint256 attemptedRate
    );
    error InsufficientFundsForOneTimePayment(address token, address from, uint256 required, uint256 actual);
    error CannotSettleTerminatedRailBeforeMaxEpoch(uint256 railId, uint256 requiredBlock, uint256 currentBlock);
    error CannotSettleFutureEpochs(uint256 railId, uint256 maxAllowedEpoch, uint256 attemptedEpoch);
    error NoProgressInSettlement(uint256 railId, uint256 expectedSettledUpTo, uint256 actualSettledUpTo);
    error ValidatorSettledBeforeSegmentStart(uint256 railId, uint256 allowedStart, uint256 attemptedStart);
    error ValidatorSettledBeyondSegmentEnd(uint256 railId, uint256 allowedEnd, uint256 attemptedEnd);
    error ValidatorModifiedAmountExceedsMaximum(uint256 railId, uint256 maxAllowed, uint256 attempted);
    error InsufficientFundsForSettlement(address token, address from, uint256 available, uint256 required);
    error InsufficientLockupForSettlement(address token, address from, uint256 available, uint256 required);
    error LockupExceedsFundsInvariant(address token, address account, uint256 lockupCurrent, uint256 fundsCurrent);
    error OperatorRateAllowanceExceeded(uint256 allowed, uint256 attemptedUsage);
    error OperatorLockupAllowanceExceeded(uint256 allowed, uint256 attemptedUsage);
    error SignerMustBeMsgSender(address expected, address actual);

    modifier nonZero(address subject, string memory varName) {
        require(subject != address(0), ZeroAddressNotAllowed(varName));
        _;
    }

    modifier railActive(uint256 railId) {
        require(rails[railId].from != address(0), RailInactiveOrSettled(railId));
        _;
    }

    modifier onlyRailOperator(uint256 railId) {
        require(rails[railId].operator == msg.sender, OnlyRailOperatorAllowed(rails[railId].operator, msg.sender));
        _;
    }

    /// @dev Adds the lockup up to now before and after; with `settleFull` the owner may not be in debt.
    modifier settled(address token, address owner, bool settleFull) {
        _settleAndCheck(token, owner, settleFull, true);
        _;
        _settleAndCheck(token, owner, settleFull, false);
    }

    // Deposits, approvals, withdrawals.

    function deposit(address token, address to, uint256 amount)
        external
        payable
        nonZero(to, "to")
        settled(token, to, false)
    {
        require(token != address(0), NativeTokenNotSupported());
        require(msg.value == 0, NativeTokenNotAccepted(msg.value));
        IToken(token).transferFrom(msg.sender, address(this), amount);
        accounts[token][to].funds += amount;
        emit DepositRecorded(token, msg.sender, to, amount);
    }

    function depositWithPermit(
        address token,
        address to,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external nonZero(to, "to") settled(token, to, false) {
        _depositWithPermit(token, to, amount, Permit(deadline, v, r, s));
    }

    function depositWithPermitAndApproveOperator(
        address token,
        address to,
        uint256 amount,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s,
        address operator,
        uint256 rateAllowance,
        uint256 lockupAllowance,
        uint256 maxLockupPeriod
    ) external nonZero(operator, "operator") nonZero(to, "to") settled(token, to, false) {
        require(to == msg.sender, SignerMustBeMsgSender(msg.sender, to));
        _setOperatorApproval(token, operator, true, rateAllowance, lockupAllowance, maxLockupPeriod);
        _depositWithPermit(token, to, amount, Permit(deadline, v, r, s));
    }

    function setOperatorApproval(
        address token,
        address operator,
        bool approved,
        uint256 rateAllowance,
        uint256 lockupAllowance,
        uint256 maxLockupPeriod
    ) external nonZero(operator, "operator") {
        _setOperatorApproval(token, operator, approved, rateAllowance, lockupAllowance, maxLockupPeriod);
    }

    function increaseOperatorApproval(
        address token,
        address operator,
        uint256 rateAllowanceIncrease,
        uint256 lockupAllowanceIncrease
    ) external nonZero(operator, "operator") {
        OperatorApproval storage approval = operatorApprovals[token][msg.sender][operator];
        require(approval.isApproved, OperatorNotApproved(msg.sender, operator));
        _setOperatorApproval(
            token,
            operator,
            true,
            approval.rateAllowance + rateAllowanceIncrease,
            approval.lockupAllowance + lockupAllowanceIncrease,
            approval.maxLockupPeriod
        );
    }

    function withdraw(address token, uint256 amount) external settled(token, msg.sender, true) {
        _withdraw(token, msg.sender, amount);
    }

    function withdrawTo(address token, address to, uint256 amount)
        external
        nonZero(to, "to")
        settled(token, msg.sender, true)
    {
        _withdraw(token, to, amount);
    }

    // Rails, by their operator.

    function createRail(
        address token,
        address from,
        address to,
        address validator,
        uint256 commissionRateBps,
        address serviceFeeRecipient
    ) external nonZero(from, "from") nonZero(to, "to") returns (uint256 railId) {
        require(operatorApprovals[token][from][msg.sender].isApproved, OperatorNotApproved(from, msg.sender));
        require(
            commissionRateBps <= COMMISSION_MAX_BPS, CommissionRateTooHigh(COMMISSION_MAX_BPS, commissionRateBps)
        );
        require(commissionRateBps == 0 || serviceFeeRecipient != address(0), MissingServiceFeeRecipient());

        railId = nextRailId++;
        RailView storage rail = rails[railId];
        rail.token = token;
        rail.from = from;
        rail.to = to;
        rail.operator = msg.sender;
        rail.validator = validator;
        rail.settledUpTo = block.number;
        rail.commissionRateBps = commissionRateBps;
        rail.serviceFeeRecipient = serviceFeeRecipient;
        payeeRails[token][to].push(railId);
        payerRails[token][from].push(railId);
        emit RailCreated(railId, from, to, token, msg.sender, validator, serviceFeeRecipient, commissionRateBps);
    }

    function modifyRailLockup(uint256 railId, uint256 period, uint256 lockupFixed)
        external
        railActive(railId)
        onlyRailOperator(railId)
        settled(rails[railId].token, rails[railId].from, false)
    {
        RailView storage rail = rails[railId];
        uint256 oldPeriod = rail.lockupPeriod;
        uint256 oldFixed = rail.lockupFixed;
        if (rail.endEpoch > 0) {
            _lowerTerminatedLockup(rail, period, lockupFixed);
        } else {
            _changeLockup(rail, period, lockupFixed);
        }
        emit RailLockupModified(railId, oldPeriod, period, oldFixed, lockupFixed);
    }

    function modifyRailPayment(uint256 railId, uint256 newRate, uint256 oneTimePayment)
        external
        railActive(railId)
        onlyRailOperator(railId)
        settled(rails[railId].token, rails[railId].from, false)
    {
        RailView storage rail = rails[railId];
        require(
            rail.lockupFixed >= oneTimePayment, OneTimePaymentExceedsLockup(railId, rail.lockupFixed, oneTimePayment)
        );
        Account storage payer = accounts[rail.token][rail.from];
        OperatorApproval storage approval = operatorApprovals[rail.token][rail.from][rail.operator];
        uint256 oldRate = rail.paymentRate;
        uint256 lockedEpochs = rail.lockupPeriod;

        if (rail.endEpoch > 0) {
            require(
                block.number < rail.endEpoch,
                CannotModifyTerminatedRailBeyondEndEpoch(railId, rail.endEpoch, block.number)
            );
            require(newRate <= oldRate, RateChangeNotAllowedOnTerminatedRail(railId));
            lockedEpochs = rail.endEpoch - block.number;
        } else {
            bool upToDate = _isFullySettled(payer);
            require(
                upToDate || newRate == oldRate,
                LockupNotSettledRateChangeNotAllowed(railId, rail.from, upToDate, oldRate, newRate)
            );
        }

        _enqueueRateChange(railId, rail, oldRate, newRate);
        rail.lockupFixed -= oneTimePayment;
        rail.paymentRate = newRate;
        if (rail.endEpoch == 0) {
            payer.lockupRate = payer.lockupRate - oldRate + newRate;
            _changeRateUsage(approval, oldRate, newRate);
        }
        payer.lockupCurrent =
            payer.lockupCurrent - oldRate * lockedEpochs + newRate * lockedEpochs - oneTimePayment;
        _changeLockupUsage(approval, oldRate * lockedEpochs, newRate * lockedEpochs);
        if (oneTimePayment > 0) {
            approval.lockupUsage -= oneTimePayment;
            approval.lockupAllowance =
                oneTimePayment > approval.lockupAllowance ? 0 : approval.lockupAllowance - oneTimePayment;
        }
        emit RailRateModified(railId, oldRate, newRate);
        _payOnce(railId, rail, payer, oneTimePayment);
    }

    function terminateRail(uint256 railId)
        external
        railActive(railId)
        settled(rails[railId].token, rails[railId].from, false)
    {
        RailView storage rail = rails[railId];
        require(rail.endEpoch == 0, RailAlreadyTerminated(railId));
        Account storage payer = accounts[rail.token][rail.from];
        require(
            (msg.sender == rail.from && _isFullySettled(payer)) || msg.sender == rail.operator,
            NotAuthorizedToTerminateRail(railId, rail.from, rail.operator, msg.sender)
        );

        rail.endEpoch = payer.lockupLastSettledAt + rail.lockupPeriod;
        emit RailTerminated(railId, msg.sender, rail.endEpoch);
        if (rail.validator != address(0)) {
            IValidator(rail.validator).railTerminated(railId, msg.sender, rail.endEpoch);
        }
        // The rail keeps its rate for the last settlement, but nothing is locked beyond its end.
        payer.lockupRate -= rail.paymentRate;
        _changeRateUsage(operatorApprovals[rail.token][rail.from][rail.operator], rail.paymentRate, 0);
    }

    // Settlement, by anyone.

    function settleRail(uint256 railId, uint256 untilEpoch)
        external
        railActive(railId)
        settled(rails[railId].token, rails[railId].from, false)
        returns (
            uint256 totalSettledAmount,
            uint256 totalNetPayeeAmount,
            uint256 totalOperatorCommission,
            uint256 totalNetworkFee,
            uint256 finalSettledEpoch,
            string memory note
        )
    {
        return _settleRail(railId, untilEpoch, false);
    }

    function settleTerminatedRailWithoutValidation(uint256 railId)
        external
        railActive(railId)
        settled(rails[railId].token, rails[railId].from, false)
        returns (
            uint256 totalSettledAmount,
            uint256 totalNetPayeeAmount,
            uint256 totalOperatorCommission,
            uint256 totalNetworkFee,
            uint256 finalSettledEpoch,
            string memory note
        )
    {
        RailView storage rail = rails[railId];
        require(rail.endEpoch > 0, RailNotTerminated(railId));
        require(rail.from == msg.sender, OnlyRailClientAllowed(rail.from, msg.sender));
        require(
            block.number > rail.endEpoch,
            CannotSettleTerminatedRailBeforeMaxEpoch(railId, rail.endEpoch + 1, block.number)
        );
        return _settleRail(railId, rail.endEpoch, true);
    }

    // Reads.

    function getRail(uint256 railId) external view railActive(railId) returns (RailView memory) {
        return rails[railId];
    }

    function getRailsForPayerAndToken(address payer, address token, uint256 offset, uint256 limit)
        external
        view
        returns (RailInfo[] memory results, uint256 nextOffset, uint256 total)
    {
        return _page(payerRails[token][payer], offset, limit);
    }

    function getRailsForPayeeAndToken(address payee, address token, uint256 offset, uint256 limit)
        external
        view
        returns (RailInfo[] memory results, uint256 nextOffset, uint256 total)
    {
        return _page(payeeRails[token][payee], offset, limit);
    }

    function getRateChangeQueueSize(uint256 railId) external view returns (uint256) {
        return rateChanges[railId].length - rateChangesHead[railId];
    }

    function getAccountInfoIfSettled(address token, address owner)
        external
        view
        returns (uint256 fundedUntilEpoch, uint256 currentFunds, uint256 availableFunds, uint256 currentLockupRate)
    {
        Account storage account = accounts[token][owner];
        currentFunds = account.funds;
        currentLockupRate = account.lockupRate;
        fundedUntilEpoch = currentLockupRate == 0
            ? type(uint256).max
            : account.lockupLastSettledAt + (account.funds - account.lockupCurrent) / currentLockupRate;
        uint256 settledAt = fundedUntilEpoch >= block.number ? block.number : fundedUntilEpoch;
        availableFunds = account.funds - account.lockupCurrent
            - currentLockupRate * (settledAt - account.lockupLastSettledAt);
    }

    // Inside: accounts.

    function _settleAndCheck(address token, address owner, bool settleFull, bool isBefore) private {
        Account storage account = accounts[token][owner];
        _settleLockup(token, owner, account);
        require(
            !settleFull || _isFullySettled(account),
            isBefore
                ? "payers's full account lockup was not met as a precondition of the requested operation"
                : "payers's full account lockup was not met as a postcondition of the requested operation"
        );
        require(
            account.funds >= account.lockupCurrent,
            isBefore
                ? "invariant failure: insufficient funds to cover lockup before function execution"
                : "invariant failure: insufficient funds to cover lockup after function execution"
        );
    }

    function _settleLockup(address token, address owner, Account storage account) private {
        uint256 elapsed = block.number - account.lockupLastSettledAt;
        if (elapsed == 0) return;
        if (account.lockupRate == 0) {
            account.lockupLastSettledAt = block.number;
        } else {
            if (account.funds < account.lockupCurrent) return;
            uint256 affordable = (account.funds - account.lockupCurrent) / account.lockupRate;
            if (affordable == 0) return;
            uint256 epochs = affordable < elapsed ? affordable : elapsed;
            account.lockupCurrent += account.lockupRate * epochs;
            account.lockupLastSettledAt += epochs;
        }
        emit AccountLockupSettled(token, owner, account.lockupCurrent, account.lockupRate, account.lockupLastSettledAt);
    }

    function _isFullySettled(Account storage account) private view returns (bool) {
        return account.lockupLastSettledAt == block.number;
    }

    function _setOperatorApproval(
        address token,
        address operator,
        bool approved,
        uint256 rateAllowance,
        uint256 lockupAllowance,
        uint256 maxLockupPeriod
    ) private {
        OperatorApproval storage approval = operatorApprovals[token][msg.sender][operator];
        approval.isApproved = approved;
        approval.rateAllowance = rateAllowance;
        approval.lockupAllowance = lockupAllowance;
        approval.maxLockupPeriod = maxLockupPeriod;
        emit OperatorApprovalUpdated(
            token, msg.sender, operator, approved, rateAllowance, lockupAllowance, maxLockupPeriod
        );
    }

    function _depositWithPermit(address token, address to, uint256 amount, Permit memory permit) private {
        require(token != address(0), NativeTokenNotSupported());
        IToken(token).permit(to, address(this), amount, permit.deadline, permit.v, permit.r, permit.s);
        IToken(token).transferFrom(to, address(this), amount);
        accounts[token][to].funds += amount;
        emit DepositRecorded(token, to, to, amount);
    }

    function _withdraw(address token, address to, uint256 amount) private {
        Account storage account = accounts[token][msg.sender];
        uint256 available = account.funds - account.lockupCurrent;
        require(amount <= available, InsufficientUnlockedFunds(available, amount));
        account.funds -= amount;
        IToken(token).transfer(to, amount);
        emit WithdrawRecorded(token, msg.sender, to, amount);
    }

    // Inside: lockup and rates.

    function _lowerTerminatedLockup(RailView storage rail, uint256 period, uint256 lockupFixed) private {
        require(
            period == rail.lockupPeriod && lockupFixed <= rail.lockupFixed,
            InvalidTerminatedRailModification(rail.lockupPeriod, rail.lockupFixed, period, lockupFixed)
        );
        accounts[rail.token][rail.from].lockupCurrent -= rail.lockupFixed - lockupFixed;
        _changeLockupUsage(
            operatorApprovals[rail.token][rail.from][rail.operator], rail.lockupFixed, lockupFixed
        );
        rail.lockupFixed = lockupFixed;
    }

    function _changeLockup(RailView storage rail, uint256 period, uint256 lockupFixed) private {
        Account storage payer = accounts[rail.token][rail.from];
        OperatorApproval storage approval = operatorApprovals[rail.token][rail.from][rail.operator];
        if (!_isFullySettled(payer)) {
            require(
                period == rail.lockupPeriod,
                LockupPeriodChangeNotAllowedDueToInsufficientFunds(rail.token, rail.from, rail.lockupPeriod, period)
            );
            require(
                lockupFixed <= rail.lockupFixed,
                LockupFixedIncreaseNotAllowedDueToInsufficientFunds(
                    rail.token, rail.from, rail.lockupFixed, lockupFixed
                )
            );
        }
        if (period > rail.lockupPeriod) {
            require(
                period <= approval.maxLockupPeriod,
                LockupPeriodExceedsOperatorMaximum(rail.token, rail.operator, approval.maxLockupPeriod, period)
            );
        }
        uint256 oldLockup = rail.lockupFixed + rail.paymentRate * rail.lockupPeriod;
        uint256 newLockup = lockupFixed + rail.paymentRate * period;
        // Whether the payer can afford it is checked when the modifier settles afterwards.
        payer.lockupCurrent = payer.lockupCurrent - oldLockup + newLockup;
        _changeLockupUsage(approval, oldLockup, newLockup);
        rail.lockupPeriod = period;
        rail.lockupFixed = lockupFixed;
    }

    function _enqueueRateChange(uint256 railId, RailView storage rail, uint256 oldRate, uint256 newRate) private {
        if (newRate == oldRate || rail.settledUpTo == block.number) return;
        RateChange[] storage changes = rateChanges[railId];
        bool isEmpty = rateChangesHead[railId] == changes.length;
        if (oldRate == 0 && isEmpty) {
            rail.settledUpTo = block.number;
            return;
        }
        // The old rate pays up to and including this epoch, so it is queued once an epoch.
        if (isEmpty || changes[changes.length - 1].untilEpoch != block.number) {
            changes.push(RateChange(oldRate, block.number));
        }
    }

    function _changeRateUsage(OperatorApproval storage approval, uint256 oldRate, uint256 newRate) private {
        if (newRate > oldRate) {
            uint256 usage = approval.rateUsage + newRate - oldRate;
            require(usage <= approval.rateAllowance, OperatorRateAllowanceExceeded(approval.rateAllowance, usage));
            approval.rateUsage = usage;
        } else {
            uint256 decrease = oldRate - newRate;
            approval.rateUsage = approval.rateUsage > decrease ? approval.rateUsage - decrease : 0;
        }
    }

    function _changeLockupUsage(OperatorApproval storage approval, uint256 oldLockup, uint256 newLockup) private {
        if (newLockup > oldLockup) {
            uint256 usage = approval.lockupUsage + newLockup - oldLockup;
            require(
                usage <= approval.lockupAllowance, OperatorLockupAllowanceExceeded(approval.lockupAllowance, usage)
            );
            approval.lockupUsage = usage;
        } else {
            uint256 decrease = oldLockup - newLockup;
            approval.lockupUsage = approval.lockupUsage > decrease ? approval.lockupUsage - decrease : 0;
        }
    }

    // Inside: payments.

    function _payOnce(uint256 railId, RailView storage rail, Account storage payer, uint256 amount) private {
        if (amount == 0) return;
        require(
            payer.funds >= amount, InsufficientFundsForOneTimePayment(rail.token, rail.from, amount, payer.funds)
        );
        payer.funds -= amount;
        (uint256 net, uint256 commission, uint256 fee) = _distribute(rail, amount);
        emit RailOneTimePaymentProcessed(railId, net, commission, fee);
    }

    /// @dev Network fee first (rounded up), then the operator's commission, the rest to the payee.
    function _distribute(RailView storage rail, uint256 amount)
        private
        returns (uint256 net, uint256 commission, uint256 fee)
    {
        fee = (amount * NETWORK_FEE_NUMERATOR + NETWORK_FEE_DENOMINATOR - 1) / NETWORK_FEE_DENOMINATOR;
        commission = ((amount - fee) * rail.commissionRateBps) / COMMISSION_MAX_BPS;
        net = amount - fee - commission;
        accounts[rail.token][address(this)].funds += fee;
        if (commission > 0) accounts[rail.token][rail.serviceFeeRecipient].funds += commission;
        accounts[rail.token][rail.to].funds += net;
    }

    function _settleRail(uint256 railId, uint256 untilEpoch, bool skipValidation)
        private
        returns (uint256 total, uint256 net, uint256 commission, uint256 fee, uint256 settledUpTo, string memory note)
    {
        require(untilEpoch <= block.number, CannotSettleFutureEpochs(railId, untilEpoch, block.number));
        RailView storage rail = rails[railId];
        bool isTerminated = rail.endEpoch > 0;
        if (isTerminated && rail.settledUpTo >= rail.endEpoch) {
            settledUpTo = rail.settledUpTo;
            _finalize(railId, rail);
            return (0, 0, 0, 0, settledUpTo, "rail fully settled and finalized");
        }

        uint256 limit = isTerminated ? rail.endEpoch : accounts[rail.token][rail.from].lockupLastSettledAt;
        uint256 target = untilEpoch < limit ? untilEpoch : limit;
        uint256 start = rail.settledUpTo;
        if (start >= target) return (0, 0, 0, 0, start, "already settled");

        bool hadRateChanges = rateChangesHead[railId] < rateChanges[railId].length;
        (total, note) = _settleSegments(railId, rail, target, skipValidation);
        require(
            hadRateChanges || rail.settledUpTo > start, NoProgressInSettlement(railId, start + 1, rail.settledUpTo)
        );
        if (total > 0) (net, commission, fee) = _distribute(rail, total);
        settledUpTo = rail.settledUpTo;
        if (isTerminated && settledUpTo >= rail.endEpoch) {
            _finalize(railId, rail);
            note = string.concat(note, "terminated rail fully settled and finalized.");
        }
        emit RailSettled(railId, total, net, commission, fee, settledUpTo);
    }

    /// @dev One segment per queued rate, the last one at the current rate; stops where the validator stops.
    function _settleSegments(uint256 railId, RailView storage rail, uint256 target, bool skipValidation)
        private
        returns (uint256 total, string memory note)
    {
        RateChange[] storage changes = rateChanges[railId];
        while (rail.settledUpTo < target) {
            uint256 head = rateChangesHead[railId];
            bool isQueued = head < changes.length;
            uint256 rate = isQueued ? changes[head].rate : rail.paymentRate;
            uint256 end = isQueued && changes[head].untilEpoch < target ? changes[head].untilEpoch : target;
            uint256 start = rail.settledUpTo;
            if (rate == 0) {
                rail.settledUpTo = end;
            } else if (end > start) {
                (uint256 amount, string memory segmentNote) =
                    _settleSegment(railId, rail, end, rate, skipValidation);
                total += amount;
                note = segmentNote;
                if (rail.settledUpTo < end) break;
            }
            if (isQueued && end >= changes[head].untilEpoch) rateChangesHead[railId] = head + 1;
        }
    }

    function _settleSegment(uint256 railId, RailView storage rail, uint256 end, uint256 rate, bool skipValidation)
        private
        returns (uint256 amount, string memory note)
    {
        Account storage payer = accounts[rail.token][rail.from];
        uint256 start = rail.settledUpTo;
        uint256 until = end;
        amount = rate * (end - start);
        if (rail.validator != address(0) && !skipValidation) {
            IValidator.ValidationResult memory result =
                IValidator(rail.validator).validatePayment(railId, amount, start, end, rate);
            until = result.settleUpto;
            require(until <= end, ValidatorSettledBeyondSegmentEnd(railId, end, until));
            require(until >= start, ValidatorSettledBeforeSegmentStart(railId, start, until));
            amount = result.modifiedAmount;
            note = result.note;
            uint256 maximum = rate * (until - start);
            require(amount <= maximum, ValidatorModifiedAmountExceedsMaximum(railId, maximum, amount));
        }
        require(payer.funds >= amount, InsufficientFundsForSettlement(rail.token, rail.from, amount, payer.funds));
        uint256 released = rate * (until - start);
        require(
            payer.lockupCurrent >= released,
            InsufficientLockupForSettlement(rail.token, rail.from, payer.lockupCurrent, released)
        );
        payer.funds -= amount;
        payer.lockupCurrent -= released;
        rail.settledUpTo = until;
        require(
            payer.lockupCurrent <= payer.funds,
            LockupExceedsFundsInvariant(rail.token, rail.from, payer.lockupCurrent, payer.funds)
        );
    }

    function _finalize(uint256 railId, RailView storage rail) private {
        accounts[rail.token][rail.from].lockupCurrent -= rail.lockupFixed;
        _changeLockupUsage(
            operatorApprovals[rail.token][rail.from][rail.operator],
            rail.lockupFixed + rail.paymentRate * rail.lockupPeriod,
            0
        );
        delete rails[railId];
        emit RailFinalized(railId);
    }

    function _page(uint256[] storage railIds, uint256 offset, uint256 limit)
        private
        view
        returns (RailInfo[] memory results, uint256 nextOffset, uint256 total)
    {
        total = railIds.length;
        if (limit == 0) limit = total;
        if (offset >= total) return (new RailInfo[](0), total, total);
        nextOffset = offset + limit > total ? total : offset + limit;
        results = new RailInfo[](nextOffset - offset);
        uint256 count;
        for (uint256 i = offset; i < nextOffset; i++) {
            RailView storage rail = rails[railIds[i]];
            // Finalized rails are gone from the lists.
            if (rail.from == address(0)) continue;
            results[count++] = RailInfo(railIds[i], rail.endEpoch > 0, rail.endEpoch);
        }
        assembly ("memory-safe") {
            mstore(results, count)
        }
    }
}
